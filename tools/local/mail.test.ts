import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { sendMail } from "./mail.mjs";

/** A mail server that replies by the first word of each line, and records the lines. */
async function serve(replies: Record<string, string>) {
  const received: string[] = [];
  const server = createServer(async (socket) => {
    socket.on("error", () => {});
    socket.write("220 ready\r\n");
    let inMessage = false;
    for await (const line of createInterface({ input: socket })) {
      received.push(line);
      if (inMessage && line !== ".") continue;
      inMessage = line === "DATA";
      socket.write(`${replies[line.split(" ")[0] ?? ""] ?? "250 fine"}\r\n`);
    }
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { port: address.port, received, close: () => server.close() };
}

const mail = { from: "shop@example.com", to: "you@inbox.test", subject: "Hello", text: "one\n.two" };

it("sends a mail line by line, with leading dots doubled", async () => {
  const server = await serve({ EHLO: "250-mine\r\n250 fine", DATA: "354 go on" });
  await sendMail({ ...mail, port: server.port });
  await expect.poll(() => server.received.at(-1)).toBe("QUIT");
  server.close();
  expect(server.received).toEqual([
    "EHLO localhost",
    "MAIL FROM:<shop@example.com>",
    "RCPT TO:<you@inbox.test>",
    "DATA",
    "From: shop@example.com",
    "To: you@inbox.test",
    "Subject: Hello",
    "",
    "one",
    "..two",
    ".",
    "QUIT",
  ]);
});

it("fails with the server's reply when the server rejects the mail", async () => {
  const server = await serve({ RCPT: "550 no such inbox" });
  await expect(sendMail({ ...mail, port: server.port })).rejects.toThrow("rejected it: 550 no such inbox");
  server.close();
});
