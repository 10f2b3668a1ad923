import { randomInt } from "node:crypto";
import { join } from "node:path";
import { Background } from "./core/background.js";
import type { CertificateSource } from "./core/certificate.js";
import { createProgressions } from "./core/progressions.js";
import { createDatabaseEngine } from "./database-engines.js";
import { urlHost } from "./http/hosts.js";
import type { Settings } from "./options.js";
import type { ServicesContext } from "./services/context.js";
import { Dumps } from "./services/databases/dumps.js";
import { NameServers, systemNameServers } from "./services/dns/name-servers.js";
import { Countries } from "./services/ip/countries.js";
import { IpDirectory } from "./services/ip/information.js";
import { runDue } from "./services/scheduler.js";
import { createOutbound } from "./services/webhooks/outbound.js";
import type { Clock } from "./state/clock.js";
import type { Store } from "./state/store.js";

/** Prints an error that no request waits for. */
export function report(error: unknown): void {
  console.error("cloudservices-sandbox:", error);
}

export interface Place {
  readonly url: string;
  readonly shortDomain: string;
  readonly isOwnHost: (host: string) => boolean;
  /** Ports the sandbox listens on, except those of databases. */
  readonly ports: readonly number[];
  readonly closing: AbortSignal;
  readonly durable: () => Promise<void>;
  readonly certificate: CertificateSource;
}

/** Creates the context of all operations. */
export function createContext(settings: Settings, store: Store, clock: Clock, place: Place): ServicesContext {
  const random = (bound: number) => randomInt(bound);
  const dumps = new Dumps(settings.data === undefined ? undefined : join(settings.data, "backups"));
  const context: ServicesContext = {
    store,
    clock,
    random,
    profile: settings.profile,
    progressions: createProgressions(settings.provisioning),
    databaseEngine: createDatabaseEngine(settings, store, random, dumps, place.certificate, report),
    dumps,
    baseUrl: `${place.url}/v1`,
    shortDomain: place.shortDomain,
    isOwnHost: place.isOwnHost,
    mailDomains: settings.mailDomains,
    summaryLists: settings.summaryLists,
    ipDirectory: new IpDirectory(new Countries()),
    nameServers: settings.allowOutbound
      ? new NameServers(settings.nameServers ?? systemNameServers(), place.closing)
      : undefined,
    outbound: createOutbound({
      allowsAll: settings.allowOutbound,
      hosts: settings.outboundHosts.map(urlHost),
      closing: place.closing,
      ownPorts: () => [...place.ports, ...context.databaseEngine.ports()],
    }),
    background: new Background(report),
    report,
    durable: place.durable,
    runDue: () => runDue(context, clock.now()),
  };
  return context;
}
