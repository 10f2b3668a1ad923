/**
 * Fails when a text contains one of the secrets, plain or encoded (Base64, percent, JSON). The failure names the
 * secret's key and the line, not the secret.
 */
export function expectNoSecrets(text: string, secrets: Readonly<Record<string, string>>): void {
  const found: string[] = [];
  for (const [key, secret] of Object.entries(secrets)) {
    // A short secret would occur everywhere and prove nothing.
    if (secret.length < 8) throw new Error(`The secret "${key}" is too short to be looked for.`);
    for (const [encoding, spelling] of Object.entries(spellingsOf(secret))) {
      const at = text.indexOf(spelling);
      if (at >= 0) found.push(`${key} (${encoding}) in line ${text.slice(0, at).split("\n").length}`);
    }
  }
  if (found.length > 0) throw new Error(`The text holds secrets: ${found.join(", ")}.`);
}

/** Returns the encodings of a secret that a text may contain. */
export function spellingsOf(secret: string): Record<string, string> {
  const bytes = Buffer.from(secret);
  return {
    plain: secret,
    json: JSON.stringify(secret).slice(1, -1),
    percent: encodeURIComponent(secret),
    // At each of the three offsets in a longer text, without the characters that depend on the neighbouring bytes.
    ...Object.fromEntries(
      [0, 1, 2].map((offset) => {
        const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
        return [
          `base64+${offset}`,
          encoded
            .slice(offset === 0 ? 0 : offset + 1)
            .replace(/={1,2}$/, "")
            .slice(0, -1),
        ];
      }),
    ),
  };
}
