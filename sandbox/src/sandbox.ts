import { randomInt } from "node:crypto";
import { setMaxListeners } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { openApiOf } from "./api/openapi.js";
import { operationsOf } from "./api/operations.js";
import { controlOf, type SandboxControl } from "./control/control.js";
import { Faults } from "./control/faults.js";
import { Journal } from "./control/journal.js";
import { progressionsOf } from "./control/progressions.js";
import { controlRoutes } from "./control/routes.js";
import { Snapshots } from "./control/snapshots.js";
import { Feed } from "./dashboard/feed.js";
import { Dumps } from "./databases/dumps.js";
import { enginesFor } from "./databases/engines.js";
import { outbound } from "./deliveries/outbound.js";
import { runDue } from "./due.js";
import { handleApi } from "./http/api.js";
import { ownHosts, urlHost } from "./http/hosts.js";
import { IdempotencyKeys } from "./http/idempotency.js";
import { RateLimit } from "./http/rate-limit.js";
import { Router } from "./http/router.js";
import { close, entrance, type Handlers, listen, listener } from "./http/server.js";
import { type SandboxOptions, type Settings, settingsOf } from "./options.js";
import { onCustomDomain } from "./shortdomain/address.js";
import { visit } from "./shortdomain/redirect.js";
import { Alarm } from "./state/alarm.js";
import { Clock } from "./state/clock.js";
import { inMemory, onDisk, type Persistence } from "./state/persistence.js";
import { Store } from "./state/store.js";
import { Countries } from "./utilities/countries.js";
import { Addresses } from "./utilities/ip.js";
import { NameServers, systemNameServers } from "./utilities/name-servers.js";
import { Works } from "./works.js";
import type { World } from "./world.js";

/** A sandbox that runs. */
export interface Sandbox extends SandboxControl {
  /** The base URL of the API, ending with `/v1`. */
  readonly baseUrl: string;
  /** Where the sandbox listens: `baseUrl` without `/v1`, and the address of `/_sandbox/`. */
  readonly url: string;
  /** Where mail is taken; absent unless `smtpPort` was given. */
  readonly smtp?: { readonly host: string; readonly port: number };
  /** A ready-made full key of the tenant `local`. Any key `sandbox_<tenant>` works; see the documentation. */
  readonly apiKey: string;
  /** Stops listening and lets go of everything. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox of the service on this machine.
 *
 * @param options - Every member has a default: a free port, the conventional profile, state in memory.
 * @returns The running sandbox; call `close()` when done.
 * @throws When an option is invalid, a port is in use, or the data folder is held by another sandbox.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settingsOf(options);
  const endings: Array<() => unknown> = [];
  const end = async () => {
    for (const each of endings.splice(0).reverse()) await each();
  };
  try {
    return await start(settings, (ending) => endings.push(ending), end);
  } catch (error) {
    await end();
    throw error;
  }
}

function report(error: unknown): void {
  console.error("cloudservices-sandbox:", error);
}

async function start(
  settings: Settings,
  atEnd: (ending: () => unknown) => void,
  end: () => Promise<void>,
): Promise<Sandbox> {
  const clock = new Clock(Date.now);
  const store = new Store();
  const persistence =
    settings.data === undefined
      ? inMemory
      : await onDisk(settings.data, store, clock, settings.compactAfterBytes, report);
  atEnd(() => persistence.close());

  const server = createServer({ maxHeaderSize: 16_384 });
  const entry = entrance(server);
  const { port } = await listen(server, settings.host, settings.port);
  const shortDomain = `${urlHost(settings.host)}:${port}`;
  const url = `http://${shortDomain}`;
  const closing = new AbortController();
  // Whatever waits for something listens to it for as long as that takes: many are no leak to be warned of.
  setMaxListeners(0, closing.signal);
  const durable = () => persistence.synced();
  const isOwnHost = ownHosts([urlHost(settings.host), ...settings.hostNames]);
  const ports = [port];
  const place = { url, shortDomain, isOwnHost, ports, closing: closing.signal, durable };
  const world = worldOf(settings, store, clock, place);
  atEnd(() => world.databases.close());

  const feed = new Feed();
  const alarm = new Alarm(clock, () => {
    world.runDue();
    setAlarm();
    persistence.synced().catch(report);
  });
  const setAlarm = () => alarm.set(closing.signal.aborted ? undefined : store.agenda.next()?.at);
  connect(store, clock, persistence, () => {
    feed.changed();
    setAlarm();
  });
  atEnd(() => world.works.idle());

  const { control, handlers } = surfaces(settings, world, persistence, feed, closing.signal);
  atEnd(() => close(server));

  await world.dumps.sweep((id) => store.tables.backups.get(id) !== undefined);
  // Databases of an earlier run are reachable again before any request is answered: until then they have no address.
  const known = [...store.tables.databases.all()].filter(({ credentials }) => credentials !== undefined);
  if (known.some(({ engine }) => engine === "postgresql")) await world.databases.start();
  const mail = settings.smtpPort === undefined ? undefined : await takeMail(settings, world, persistence);
  if (mail) {
    atEnd(() => mail.close());
    ports.push(mail.port);
  }
  atEnd(() => {
    closing.abort();
    setAlarm();
  });
  setAlarm();
  const isShortDomain = (host: string) => onCustomDomain(store.tables.links, host).length > 0;
  entry.open(listener(isOwnHost, isShortDomain, handlers, report));
  return {
    ...control,
    baseUrl: world.baseUrl,
    url,
    apiKey: "sandbox_local",
    ...(mail && { smtp: { host: urlHost(settings.host), port: mail.port } }),
    close: end,
  };
}

interface Place {
  readonly url: string;
  readonly shortDomain: string;
  readonly isOwnHost: (host: string) => boolean;
  /** Where the sandbox listens, beside its databases. */
  readonly ports: readonly number[];
  readonly closing: AbortSignal;
  readonly durable: () => Promise<void>;
}

function worldOf(settings: Settings, store: Store, clock: Clock, place: Place): World {
  const random = (bound: number) => randomInt(bound);
  const dumps = new Dumps(settings.data === undefined ? undefined : join(settings.data, "backups"));
  const world: World = {
    store,
    clock,
    random,
    profile: settings.profile,
    progressions: progressionsOf(settings.provisioning),
    databases: enginesFor(settings, store, random, dumps, report),
    dumps,
    baseUrl: `${place.url}/v1`,
    shortDomain: place.shortDomain,
    isOwnHost: place.isOwnHost,
    mailDomains: settings.mailDomains,
    summaryLists: settings.summaryLists,
    addresses: new Addresses(new Countries()),
    nameServers: settings.allowOutbound
      ? new NameServers(settings.nameServers ?? systemNameServers(), place.closing)
      : undefined,
    outbound: outbound({
      allowsAll: settings.allowOutbound,
      closing: place.closing,
      ownPorts: () => [...place.ports, ...world.databases.ports()],
    }),
    works: new Works(report),
    report,
    durable: place.durable,
    runDue: () => runDue(world, clock.now()),
  };
  return world;
}

/** What is committed is kept, and what it makes due will happen. */
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

/** What can be seen from outside: the API, the short domain, and control in both its forms. */
function surfaces(
  settings: Settings,
  world: World,
  persistence: Persistence,
  feed: Feed,
  closing: AbortSignal,
): { control: SandboxControl; handlers: Handlers } {
  const { store, clock } = world;
  const durable = () => persistence.synced();
  const faults = new Faults();
  const journal = new Journal();
  journal.watch(() => feed.changed());
  const rateLimit = new RateLimit(() => clock.now(), settings.rateLimit);
  const snapshots = new Snapshots(world, settings.postgres === "real");
  const idempotencyKeys = settings.idempotencyKeys ? new IdempotencyKeys() : undefined;
  const control = controlOf({ world, faults, journal, rateLimit, snapshots, idempotencyKeys });
  const api = {
    ...{ world, faults, journal, rateLimit, closing, durable, report },
    router: new Router(operationsOf(settings.profile)),
    ...(idempotencyKeys && { idempotencyKeys }),
    docUrl: new URL("/_sandbox/errors", world.baseUrl).href,
  };
  const about = {
    ...{ durable, store, feed, clock },
    trouble: () => world.databases.trouble(),
    profile: settings.profile,
    parts: {
      get postgresql() {
        return world.databases.trouble() ?? settings.postgres;
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
    openApi: openApiOf(settings.profile, world.baseUrl),
  };
  const handlers: Handlers = {
    api: (request, response, address) => handleApi(api, request, response, address),
    control: controlRoutes(control, about),
    links: (request, response, address, host) => visit(world, durable, request, response, address, host),
  };
  return { control, handlers };
}

/** What reads mail is large, and loaded only where mail is taken. */
async function takeMail({ host, smtpPort = 0 }: Settings, world: World, persistence: Persistence) {
  const { startMailServer } = await import("./mail/smtp.js");
  return startMailServer(world, () => persistence.synced(), host, smtpPort, report);
}
