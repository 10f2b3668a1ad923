import { connect } from "node:net";
import { createInterface } from "node:readline";

/**
 * Sends one mail over SMTP.
 *
 * @param {{ port: number, from: string, to: string, subject: string, text: string }} mail
 * @returns {Promise<void>}
 * @throws {Error} if the server rejects it
 */
export async function sendMail({ port, from, to, subject, text }) {
  const socket = connect(port, "127.0.0.1");
  socket.setTimeout(10_000, () => socket.destroy(new Error("the mail server does not respond")));
  const body = text.replace(/\r?\n/g, "\r\n").replace(/^\./gm, "..");
  const message = [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, "", body, "."].join("\r\n");
  /** Pairs: the expected status of the last reply, and the next line to send. */
  const steps = [
    ["220", "EHLO localhost"],
    ["250", `MAIL FROM:<${from}>`],
    ["250", `RCPT TO:<${to}>`],
    ["250", "DATA"],
    ["354", message],
    ["250", "QUIT"],
  ];
  try {
    let [step, ...rest] = steps;
    for await (const line of createInterface({ input: socket })) {
      // "250-…" announces more lines of the same reply.
      if (!step || line[3] === "-") continue;
      const [expected = "", next = ""] = step;
      if (!line.startsWith(expected)) throw new Error(`the mail server rejected it: ${line}`);
      socket.write(`${next}\r\n`);
      if (next === "QUIT") return;
      [step, ...rest] = rest;
    }
    throw new Error("the mail server closed the connection");
  } finally {
    socket.end();
  }
}
