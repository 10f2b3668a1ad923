import { randomInt } from "node:crypto";
import { createTransport } from "nodemailer";

/** A mail server. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
}

/** The application under test: sends a code to a new user, and returns whether a typed code is the one that was sent. */
export async function signUp(address: string, server: MailServer): Promise<(typed: string) => boolean> {
  const code = String(randomInt(100_000, 1_000_000));
  const transport = createTransport({ ...server, secure: false });
  await transport.sendMail({
    from: "Shop <hello@shop.example>",
    to: address,
    subject: "Welcome to the shop",
    text: `Your verification code is ${code}. Or open https://shop.example/verify?code=${code}`,
  });
  transport.close();
  return (typed) => typed === code;
}
