import { Inbox } from "pulumi-cloudservices";

/** Declares an inbox that receives the mails of one test run. */
export function testInbox() {
  const inbox = new Inbox("signup", { ttlMinutes: 60 });
  return { inboxId: inbox.id, address: inbox.emailAddress };
}
