import { setMaxListeners } from "node:events";
import { createServer } from "node:http";
import { createControl } from "./control/control.js";
import { Changes } from "./control/dashboard/changes.js";
import { controlRoutes } from "./control/routes.js";
import type { SandboxControl } from "./control/sandbox-control.js";
import { Snapshots } from "./control/snapshots.js";
import { StateTransfer } from "./control/state-transfer.js";
import { type CertificateSource, certificateSource } from "./core/certificate.js";
import { createContext, report } from "./create-context.js";
import { handleApi } from "./http/api.js";
import { crossOrigin } from "./http/cors.js";
import { Faults } from "./http/faults.js";
import { ownHostCheck, urlHost } from "./http/hosts.js";
import { IdempotencyKeys } from "./http/idempotency.js";
import { Journal, recordOutside } from "./http/journal.js";
import { openApiOf } from "./http/openapi.js";
import { RateLimit } from "./http/rate-limit.js";
import { Router } from "./http/router.js";
import { close, dispatcher, type Handlers, listen, requestGate } from "./http/server.js";
import { parseOptions, type SandboxOptions, type Settings } from "./options.js";
import type { ServicesContext } from "./services/context.js";
import { linksOnDomain } from "./services/links/address.js";
import { followLink } from "./services/links/redirect.js";
import { operationsOf } from "./services/operations.js";
import { Alarm } from "./state/alarm.js";
import { Clock } from "./state/clock.js";
import { inMemory, onDisk, type Persistence } from "./state/persistence.js";
import { Store } from "./state/store.js";

/** Maximum simultaneous HTTP connections; the system refuses more. */
const MAX_CONNECTIONS = 10_000;

/** A running sandbox. */
export interface Sandbox extends SandboxControl {
  /** The base URL of the API, ending with `/v1`. */
  readonly baseUrl: string;
  /** `baseUrl` without `/v1`; control is at `/_sandbox/` below it. */
  readonly url: string;
  /** The SMTP address; absent without `smtpPort`. */
  readonly smtp?: SmtpAddress;
  /** A full key of the tenant `local`. Any key `sandbox_<tenant>` works. */
  readonly apiKey: string;
  /** Stops the sandbox and releases its resources. */
  close(): Promise<void>;
}

/** Where the sandbox accepts mail. */
export interface SmtpAddress {
  /** The host, 127.0.0.1 by default. */
  readonly host: string;
  /** The port. */
  readonly port: number;
}

/** Starts a local sandbox with an SMTP server, whose address the result has. The rest is as without `smtpPort`. */
export function startSandbox(
  options: SandboxOptions & { readonly smtpPort: number },
  prepare?: (control: SandboxControl) => Promise<void>,
): Promise<Sandbox & { readonly smtp: SmtpAddress }>;
/**
 * Starts a local sandbox of the service.
 * @param options - All have defaults: a free port, the conventional profile, state in memory.
 * @param prepare - Runs before the first request is served, which waits for it. If it fails, nothing stays running.
 * @returns The running sandbox; call `close()` when done.
 * @throws When an option is invalid, a port is in use, or another sandbox uses the data folder.
 */
export function startSandbox(
  options?: SandboxOptions,
  prepare?: (control: SandboxControl) => Promise<void>,
): Promise<Sandbox>;
export async function startSandbox(
  options: SandboxOptions = {},
  prepare?: (control: SandboxControl) => Promise<void>,
): Promise<Sandbox> {
  const settings = parseOptions(options);
  const endings: Array<() => unknown> = [];
  const end = async () => {
    for (const each of endings.splice(0).reverse()) await each();
  };
  try {
    return await startWith(settings, (ending) => endings.push(ending), end, prepare);
  } catch (error) {
    await end();
    throw error;
  }
}

async function startWith(
  settings: Settings,
  atEnd: (ending: () => unknown) => void,
  end: () => Promise<void>,
  prepare: ((control: SandboxControl) => Promise<void>) | undefined,
): Promise<Sandbox> {
  const clock = new Clock(Date.now);
  const store = new Store();
  const persistence =
    settings.data === undefined
      ? inMemory
      : await onDisk(settings.data, store, clock, settings.compactAfterBytes, report);
  atEnd(() => persistence.close());

  const server = createServer({ maxHeaderSize: 16_384 });
  server.maxConnections = MAX_CONNECTIONS;
  const entry = requestGate(server);
  const { port } = await listen(server, settings.host, settings.port);
  const publicHost = urlHost(settings.publicHost ?? settings.host);
  const shortDomain = `${publicHost}:${port}`;
  const url = `http://${shortDomain}`;
  const closing = new AbortController();
  // Every pending operation listens to this signal, so many listeners are no leak.
  setMaxListeners(0, closing.signal);
  const durable = () => persistence.synced();
  const isOwnHost = ownHostCheck([urlHost(settings.host), publicHost, ...settings.hostNames]);
  const ports = [port];
  const certificate = certificateSource(settings.data, settings.publicHost);
  const place = { url, shortDomain, isOwnHost, ports, closing: closing.signal, durable, certificate };
  const context = createContext(settings, store, clock, place);
  atEnd(() => context.databaseEngine.close());

  const changes = new Changes();
  const alarm = new Alarm(clock, () => {
    context.runDue();
    setAlarm();
    persistence.synced().catch(report);
  });
  const setAlarm = () => alarm.set(closing.signal.aborted ? undefined : store.agenda.next()?.at);
  connect(store, clock, persistence, () => {
    changes.changed();
    setAlarm();
  });
  atEnd(() => context.background.idle());

  const faults = new Faults();
  const { control, handlers } = createSurfaces(settings, context, {
    ...{ durable, changes, faults, certificate, closing: closing.signal },
  });
  atEnd(() => close(server));

  await context.dumps.sweep((id) => store.tables.backups.get(id) !== undefined);
  // Databases of an earlier run start before the first request is served; until then they have no address.
  const known = [...store.tables.databases.all()].filter(({ credentials }) => credentials !== undefined);
  if (known.some(({ engine }) => engine === "postgresql")) await context.databaseEngine.start();
  const mail = await startMail(settings, context, { durable, faults, certificate });
  if (mail) {
    atEnd(() => mail.close());
    ports.push(mail.port);
  }
  atEnd(() => {
    closing.abort();
    setAlarm();
  });
  setAlarm();
  await prepare?.(control);
  const isShortDomain = (host: string) => linksOnDomain(store.tables.links, host).length > 0;
  entry.open(dispatcher(isOwnHost, isShortDomain, handlers, report));
  return {
    ...control,
    baseUrl: context.baseUrl,
    url,
    apiKey: "sandbox_local",
    ...(mail && { smtp: { host: publicHost, port: mail.port } }),
    close: end,
  };
}

/** Persists commits and reschedules the alarm. */
function connect(store: Store, clock: Clock, persistence: Persistence, changed: () => void): void {
  store.onCommit = (changes) => {
    persistence.append(changes);
    changed();
  };
  clock.onChange = () => {
    persistence.clockChanged();
    changed();
  };
}

interface SurfaceParts {
  readonly durable: () => Promise<void>;
  readonly changes: Changes;
  readonly faults: Faults;
  readonly certificate: CertificateSource;
  readonly closing: AbortSignal;
}

/** Creates the external interfaces: the API, short links, and control as methods and over HTTP. */
function createSurfaces(
  settings: Settings,
  context: ServicesContext,
  { durable, changes, faults, certificate, closing }: SurfaceParts,
): { control: SandboxControl; handlers: Handlers } {
  const { store, clock } = context;
  const journal = new Journal();
  journal.watch(() => changes.changed());
  const rateLimit = new RateLimit(() => clock.now(), settings.rateLimit);
  const isReal = settings.postgres === "real";
  const snapshots = new Snapshots(context, isReal);
  const transfer = new StateTransfer(context, isReal);
  const idempotencyKeys = settings.idempotencyKeys ? new IdempotencyKeys() : undefined;
  const control = createControl({
    context,
    faults,
    journal,
    rateLimit,
    snapshots,
    transfer,
    idempotencyKeys,
    closing,
  });
  const api = {
    ...{ context, faults, journal, rateLimit, closing, durable, report },
    router: new Router(operationsOf(settings.profile)),
    ...(idempotencyKeys && { idempotencyKeys }),
    docUrl: new URL("/_sandbox/errors", context.baseUrl).href,
  };
  const about = {
    ...{ durable, store, changes, clock, certificate },
    trouble: () => context.databaseEngine.trouble(),
    url: new URL(context.baseUrl).origin,
    profile: settings.profile,
    parts: {
      get postgresql() {
        return context.databaseEngine.trouble() ?? settings.postgres;
      },
      "connection pool of postgresql":
        settings.postgres === "real"
          ? "a relay: a pooled connection is a server connection, up to the plan's limit"
          : "simulated",
      "backups of postgresql": settings.postgres === "real" ? "real" : "simulated",
      "other engines": "simulated",
      servers: "simulated",
      mail: settings.smtpPort === undefined ? "by control only" : "real",
      "IP information": "countries only",
      DNS: settings.allowOutbound ? "real" : "the tenant's own zone only",
    },
    openApi: () => openApiOf(settings.profile, context.baseUrl),
  };
  const answersPreflight = crossOrigin(settings.corsOrigins);
  const handlers: Handlers = {
    api: async (request, response, address) => {
      if (!answersPreflight(request, response)) await handleApi(api, request, response, address);
    },
    control: controlRoutes({ ...about, control }),
    async links(request, response, address, host) {
      await followLink(context, durable, request, response, address, host);
      recordOutside(journal, clock, request, response, address);
    },
  };
  return { control, handlers };
}

/** Starts SMTP, unless there is no port for it. Loaded on demand, because the mail libraries are large. */
async function startMail(
  { host, smtpPort: port, offerStartTls: offersStartTls }: Settings,
  context: ServicesContext,
  { durable, faults, certificate }: Pick<SurfaceParts, "durable" | "faults" | "certificate">,
) {
  if (port === undefined) return undefined;
  const { startMailServer } = await import("./services/inboxes/smtp.js");
  return startMailServer(context, {
    ...{ host, port, offersStartTls, certificate, durable, report },
    findFault: (at, recipients) => faults.findSmtpFault(at, recipients),
  });
}
