import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SMTPServer } from "smtp-server";
import type { CertificateSource } from "../../core/certificate.js";
import type { Context } from "../../core/context.js";
import { ApiError } from "../../core/errors.js";
import { hasRoom, InboxFullError } from "./capacity.js";
import { findInbox, MAX_MAIL_BYTES, receive } from "./receive.js";
import type { FindSmtpFault, SmtpMoment } from "./smtp-fault.js";

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

/** A fault has closed the connection, so there is no response. */
class Dropped extends Error {}

export interface MailServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface MailServerOptions {
  readonly host: string;
  readonly port: number;
  /** Whether EHLO offers STARTTLS. Without an offer, the command works all the same. */
  readonly offersStartTls: boolean;
  readonly certificate: CertificateSource;
  readonly findFault: FindSmtpFault;
  readonly durable: () => Promise<void>;
  readonly report: (error: unknown) => void;
}

/**
 * Starts an SMTP server that accepts mail for live inboxes from any sender, with any password or none, with or without
 * TLS. It relays nothing.
 */
export async function startMailServer(context: Context, options: MailServerOptions): Promise<MailServer> {
  const { certificate, durable, findFault, report } = options;
  const sending = new Set<string>();
  const closing = new AbortController();

  /** Applies a fault: waits, or throws the refusal. */
  const applyFault = async (id: string, at: SmtpMoment, recipients: readonly string[] = []) => {
    const fault = findFault(at, recipients);
    if (!fault) return;
    const { do: what = "refuse", code = 451, ms = 1_000 } = fault;
    if (what === "slow") {
      await delay(ms, undefined, { signal: closing.signal }).catch(() => {});
    } else if (what === "drop") {
      for (const connection of server.connections) if (connection.id === id) connection.close();
      throw new Dropped();
    } else throw new SmtpRefusal(code, "This error was injected by a fault of the sandbox");
  };

  /** Responds when a step is done, unless its connection is closed. */
  const respond = (step: Promise<void>, done: (refusal: SmtpRefusal | null) => void) => {
    step.then(
      () => done(null),
      (error: unknown) => {
        if (!(error instanceof Dropped)) done(asRefusal(error, report));
      },
    );
  };

  /** Stores the mail of a session. */
  const store = async (raw: Buffer, session: SessionParts) => {
    const recipients = session.envelope.rcptTo.map(({ address }) => address);
    await applyFault(session.id, "data", recipients);
    const { mailFrom } = session.envelope;
    const received = await receive(context, {
      raw,
      from: mailFrom === false ? "" : mailFrom.address,
      to: recipients,
      ip: session.remoteAddress,
      helo: session.hostNameAppearsAs || "localhost",
    });
    await durable();
    if (received === 0) throw new SmtpRefusal(550, "The inbox has expired");
    await applyFault(session.id, "stored", recipients);
  };

  const accept = async (id: string, address: string, known: number) => {
    await applyFault(id, "to", [address]);
    const inbox = findInbox(context, address);
    if (!inbox) throw new SmtpRefusal(550, `No inbox has the address ${address}`);
    if (known >= MAX_RECIPIENTS) throw new SmtpRefusal(452, "Too many recipients");
    if (!hasRoom(context.store, inbox.id, 0)) throw new SmtpRefusal(452, "The inbox is full");
  };

  // The certificate takes a quarter of a second to make, so it waits for the first connection.
  let secured: Promise<void> | undefined;
  const secure = () => {
    secured ??= certificate().then(
      ({ certificate: cert, key }) => server.updateSecureContext({ cert, key }),
      (error: unknown) => {
        // The next connection tries again: there may be space on the disk by then.
        secured = undefined;
        throw error;
      },
    );
    return secured;
  };

  const server = new SMTPServer({
    closeTimeout: LAST_MAILS_MS,
    authOptional: true,
    allowInsecureAuth: true,
    authMethods: ["PLAIN", "LOGIN"],
    hideSTARTTLS: !options.offersStartTls,
    size: MAX_MAIL_BYTES,
    maxClients: MAX_CONNECTIONS,
    banner: "Cloud Services sandbox",
    logger: false,
    disableReverseLookup: true,
    onConnect({ id }, done) {
      respond(
        secure().then(() => applyFault(id, "connect")),
        done,
      );
    },
    onAuth({ username = "anonymous" }, { id }, done) {
      respond(applyFault(id, "auth"), (refusal) =>
        refusal ? done(refusal) : done(null, { user: username }),
      );
    },
    onMailFrom(_address, { id }, done) {
      respond(applyFault(id, "from"), done);
    },
    onRcptTo({ address }, { id, envelope }, done) {
      respond(accept(id, address, envelope.rcptTo.length), done);
    },
    onData(stream, session, reply) {
      sending.add(session.id);
      const done = (refusal: SmtpRefusal | null) => {
        sending.delete(session.id);
        reply(refusal);
        if (closing.signal.aborted) hangUp();
      };
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => {
        // The rest of an oversized mail is discarded.
        if (!stream.sizeExceeded) parts.push(part);
      });
      stream.on("end", () => {
        if (stream.sizeExceeded)
          done(new SmtpRefusal(552, `A mail may have at most ${MAX_MAIL_BYTES} bytes`));
        else respond(store(Buffer.concat(parts), session), done);
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
    if (server.server.listening && !isOfClient(error)) report(error);
  });
  const address = await new Promise<AddressInfo | string | null>((resolve, reject) => {
    server.server.once("error", reject);
    server.listen(options.port, options.host, () => resolve(server.server.address()));
  });
  if (address === null || typeof address === "string")
    throw new Error("the mail server has no network address");
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        hangUp();
      }),
  };
}

/** What is known about a mail from its session. */
interface SessionParts {
  readonly id: string;
  readonly remoteAddress: string;
  readonly hostNameAppearsAs: string | false;
  readonly envelope: {
    readonly mailFrom: { readonly address: string } | false;
    readonly rcptTo: ReadonlyArray<{ readonly address: string }>;
  };
}

function asRefusal(error: unknown, report: (error: unknown) => void): SmtpRefusal {
  if (error instanceof SmtpRefusal) return error;
  if (error instanceof InboxFullError) return new SmtpRefusal(452, error.message);
  if (error instanceof ApiError) return new SmtpRefusal(554, error.message);
  report(error);
  return new SmtpRefusal(451, "The mail could not be stored; try again");
}

/** Returns whether an error is that of one connection: a client that disconnects, or rejects the certificate. */
function isOfClient(error: Error): boolean {
  return "remoteAddress" in error;
}
