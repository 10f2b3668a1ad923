function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:15vh auto;padding:0 1rem}</style>
<h1>${title}</h1>
${content}
</html>
`;
}

export function missingPage(): string {
  return page("Link not found", "<p>There is no short link at this address.</p>");
}

export function expiredPage(): string {
  return page("Link expired", "<p>This short link no longer leads anywhere.</p>");
}

export function brokenPage(): string {
  return page("Link broken", "<p>The target of this short link is invalid.</p>");
}

export function passcodePage(isWrong: boolean): string {
  return page(
    "Passcode needed",
    `${isWrong ? '<p role="alert">Wrong passcode.</p>' : ""}
<form method="post">
<label>Passcode <input name="passcode" type="password" required autofocus></label>
<button>Continue</button>
</form>`,
  );
}
