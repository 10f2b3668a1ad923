import { z } from "zod";

/** A mail to deliver without SMTP. */
export const mailSchema = z.strictObject({
  /** Addresses of inboxes. */
  to: z.union([z.string().min(3), z.array(z.string().min(3)).min(1).max(100)]),
  from: z.string().min(3).default("sender@example.com"),
  subject: z.string().max(998).default(""),
  text: z.string().optional(),
  html: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  attachments: z.array(z.strictObject({ filename: z.string(), content: z.string() })).optional(),
});
export type Mail = z.input<typeof mailSchema>;
