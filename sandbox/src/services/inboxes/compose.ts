import type { z } from "zod";
import type { mailSchema } from "./mail.js";

/** Composes a MIME message. The library is loaded with the first one: most sandboxes need none. */
export async function compose(mail: z.output<typeof mailSchema>): Promise<Buffer> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer/index.js");
  return new MailComposer(mail).compile().build();
}
