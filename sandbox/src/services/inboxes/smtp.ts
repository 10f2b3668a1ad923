import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import type { Context } from "../../core/context.js";
import { ApiError } from "../../core/errors.js";
import { hasRoom, InboxFullError } from "./capacity.js";
import { findInbox, MAX_MAIL_BYTES, receive } from "./receive.js";

/** Maximum simultaneous connections; each can hold one mail of the largest size. Others get 421. */
const MAX_CONNECTIONS = 50;

/** RFC 5321, 4.5.3.1.8 requires at least 100. */
const MAX_RECIPIENTS = 100;

/** How long closing waits for a mail in transfer. */
const LAST_MAILS_MS = 5_000;

class SmtpRefusal extends Error {
  constructor(
    readonly responseCode: number,
    message: string,
  ) {
    super(message);
  }
}

export interface MailServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts an SMTP server that accepts mail for live inboxes from any sender, without a password. It relays nothing.
 */
export async function startMailServer(
  context: Context,
  durable: () => Promise<void>,
  host: string,
  port: number,
  report: (error: unknown) => void,
): Promise<MailServer> {
  const sending = new Set<string>();
  let isClosing = false;
  const server = new SMTPServer({
    closeTimeout: LAST_MAILS_MS,
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    size: MAX_MAIL_BYTES,
    maxClients: MAX_CONNECTIONS,
    banner: "Cloud Services sandbox",
    logger: false,
    disableReverseLookup: true,
    onRcptTo({ address }, { envelope }, done) {
      const inbox = findInbox(context, address);
      if (!inbox) done(new SmtpRefusal(550, `No inbox has the address ${address}`));
      else if (envelope.rcptTo.length >= MAX_RECIPIENTS) done(new SmtpRefusal(452, "Too many recipients"));
      else if (!hasRoom(context.store, inbox.id, 0)) done(new SmtpRefusal(452, "The inbox is full"));
      else done();
    },
    onData(stream, session, answer) {
      sending.add(session.id);
      const done = (refusal: SmtpRefusal | null) => {
        sending.delete(session.id);
        answer(refusal);
        if (isClosing) hangUp();
      };
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => {
        // The rest of an oversized mail is discarded.
        if (!stream.sizeExceeded) parts.push(part);
      });
      stream.on("end", () => {
        if (stream.sizeExceeded) {
          done(new SmtpRefusal(552, `A mail may have at most ${MAX_MAIL_BYTES} bytes`));
          return;
        }
        const { mailFrom, rcptTo } = session.envelope;
        receive(context, {
          raw: Buffer.concat(parts),
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          ip: session.remoteAddress,
          helo: session.hostNameAppearsAs || "localhost",
        })
          .then(async (received) => {
            await durable();
            done(received > 0 ? null : new SmtpRefusal(550, "The inbox has expired"));
          })
          .catch((error: unknown) => {
            if (error instanceof InboxFullError) {
              done(new SmtpRefusal(452, error.message));
              return;
            }
            if (error instanceof ApiError) {
              done(new SmtpRefusal(554, error.message));
              return;
            }
            report(error);
            done(new SmtpRefusal(451, "The mail could not be stored; try again"));
          });
      });
    },
    onClose: ({ id }) => void sending.delete(id),
  });
  const hangUp = () => {
    for (const connection of [...server.connections].filter(({ id }) => !sending.has(id))) {
      connection.send(421, "The sandbox is closing");
      connection.close();
    }
  };
  server.on("error", (error) => {
    if (server.server.listening) report(error);
  });
  const address = await new Promise<AddressInfo | string | null>((resolve, reject) => {
    server.server.once("error", reject);
    server.listen(port, host, () => resolve(server.server.address()));
  });
  if (address === null || typeof address === "string")
    throw new Error("the mail server has no network address");
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        isClosing = true;
        server.close(() => resolve());
        hangUp();
      }),
  };
}
