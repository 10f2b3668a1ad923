import MailComposer from "nodemailer/lib/mail-composer/index.js";
import type { z } from "zod";
import type { mailSchema } from "./mail.js";

/** Composes a MIME message. */
export function compose(mail: z.output<typeof mailSchema>): Promise<Buffer> {
  return new MailComposer(mail).compile().build();
}
