import { randomInt } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { openApiOf } from "./api/openapi.js";
import { operationsOf } from "./api/operations.js";
import { controlOf, type SandboxControl } from "./control/control.js";
import { Faults } from "./control/faults.js";
import { Journal } from "./control/journal.js";
import { Progressions } from "./control/progressions.js";
import { controlRoutes } from "./control/routes.js";
import { Snapshots } from "./control/snapshots.js";
import { Feed } from "./dashboard/feed.js";
import { type DatabaseEngine, enginesOf } from "./databases/engine.js";
import { simulatedEngine } from "./databases/simulated.js";
import { outbound } from "./deliveries/outbound.js";
import { runDue } from "./due.js";
import { handleApi } from "./http/api.js";
import { ownHosts, urlHost } from "./http/hosts.js";
import { IdempotencyKeys } from "./http/idempotency.js";
import { RateLimit } from "./http/rate-limit.js";
import { Router } from "./http/router.js";
import { close, type Handlers, listen, listener } from "./http/server.js";
import type { Random } from "./identity.js";
import { type SandboxOptions, type Settings, settingsOf } from "./options.js";
import { lazyPostgres } from "./postgres/lazy.js";
import { visit } from "./shortdomain/redirect.js";
import { Alarm } from "./state/alarm.js";
import { Clock } from "./state/clock.js";
import { inMemory, onDisk } from "./state/persistence.js";
import type { Rows } from "./state/rows.js";
import { Store } from "./state/store.js";
import { Addresses } from "./utilities/ip.js";
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
 * @throws When an option is invalid or the port is in use.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settingsOf(options);
  const report = (error: unknown) => console.error("cloudservices-sandbox:", error);
  const clock = new Clock(Date.now);
  const store = new Store();
  const persistence = settings.data === undefined ? inMemory : await onDisk(settings.data, store, clock);
  const { databaseMs, vpsMs, vpsActionMs, deletionMs } = settings.provisioning;
  const progressions = new Progressions({
    database: databaseMs,
    vps: vpsMs,
    vpsAction: vpsActionMs,
    deletion: deletionMs,
  });

  const server = createServer({ maxHeaderSize: 16_384 });
  const { port } = await listen(server, settings.host, settings.port).catch(async (error: unknown) => {
    await persistence.close();
    throw error;
  });
  const shortDomain = `${urlHost(settings.host)}:${port}`;
  const url = `http://${shortDomain}`;
  const random = (bound: number) => randomInt(bound);

  const databases = enginesFor(settings, store, random);
  const world: World = {
    store,
    clock,
    random,
    profile: settings.profile,
    progressions,
    databases,
    baseUrl: `${url}/v1`,
    shortDomain,
    mailDomains: settings.mailDomains,
    summaryLists: settings.summaryLists,
    addresses: new Addresses(),
    outbound: outbound(settings.allowOutbound),
    works: new Works(),
    runDue() {
      runDue(world, clock.now());
      setAlarm();
    },
  };
  const durable = () => persistence.synced();
  const alarm = new Alarm(clock, () => {
    world.runDue();
    durable().catch(report);
  });
  const setAlarm = () => alarm.set(store.agenda.next()?.at);
  const closing = new AbortController();
  const feed = new Feed();
  store.onCommit = (changes) => {
    feed.changed();
    persistence.append(changes);
    setAlarm();
  };
  clock.onChange = () => {
    persistence.clockChanged();
    setAlarm();
  };
  const faults = new Faults();
  const journal = new Journal();
  journal.watch(() => feed.changed());
  const rateLimit = new RateLimit(() => clock.now(), settings.rateLimit);
  const isPostgres = ({ engine }: Rows["databases"]) => engine === "postgresql";
  const hasRealDatabases = () =>
    settings.postgres === "real" && [...store.tables.databases.all()].some(isPostgres);
  const snapshots = new Snapshots(world, hasRealDatabases);
  const control = controlOf({ world, faults, journal, rateLimit, snapshots });
  const router = new Router(operationsOf(settings.profile));
  const parts = {
    world,
    router,
    faults,
    journal,
    rateLimit,
    ...(settings.idempotencyKeys && { idempotencyKeys: new IdempotencyKeys() }),
    closing: closing.signal,
    docUrl: `${url}/_sandbox/errors`,
    durable,
    report,
  };
  const handlers: Handlers = {
    api: (request, response, address) => handleApi(parts, request, response, address),
    control: controlRoutes(control, {
      parts: {
        postgresql: settings.postgres,
        "other engines": "simulated",
        servers: "simulated",
        mail: settings.smtpPort === undefined ? "by control only" : "real",
      },
      durable,
      store,
      feed,
      profile: settings.profile,
      clock,
      openApi: openApiOf(settings.profile, world.baseUrl),
    }),
    links: (request, response, address, host) => visit(world, durable, request, response, address, host),
  };
  const isShortDomain = (host: string) =>
    host !== shortDomain && store.tables.links.find("domain", host).length > 0;
  server.on(
    "request",
    listener(
      ownHosts([urlHost(settings.host), ...settings.hostNames]),
      isShortDomain,
      () => handlers,
      report,
    ),
  );

  // Databases of an earlier run are to be reachable again before anybody reads their addresses.
  const known = [...store.tables.databases.all()].filter(({ credentials }) => credentials !== undefined);
  if (known.some(({ engine }) => engine === "postgresql")) await databases.start();
  const { smtpPort } = settings;
  const mail =
    smtpPort === undefined
      ? undefined
      : await (await import("./mail/smtp.js")).startMailServer(
          world,
          durable,
          settings.host,
          smtpPort,
          report,
        );
  setAlarm();
  return {
    ...control,
    baseUrl: world.baseUrl,
    url,
    apiKey: "sandbox_local",
    ...(mail && { smtp: { host: urlHost(settings.host), port: mail.port } }),
    async close() {
      closing.abort();
      await close(server);
      await mail?.close();
      alarm.set(undefined);
      await world.works.idle();
      await databases.close();
      await persistence.close();
    },
  };
}

function enginesFor(settings: Settings, store: Store, random: Random): DatabaseEngine {
  const simulated = simulatedEngine(random);
  if (settings.postgres === "simulated") return simulated;
  const postgres = lazyPostgres({
    folder: settings.data === undefined ? undefined : join(settings.data, "postgres"),
    port: settings.postgresPort,
    poolPort: settings.postgresPoolPort,
    random,
    find: ({ user, database }) => store.tables.databases.find("user", `${user} ${database}`)[0],
  });
  return enginesOf(postgres, simulated);
}
