import { join } from "node:path";
import type { CertificateSource } from "./core/certificate.js";
import type { Random } from "./core/ids.js";
import type { Settings } from "./options.js";
import { lazyPostgresEngine } from "./postgres/lazy-engine.js";
import type { Dumps } from "./services/databases/dumps.js";
import type { DatabaseEngine } from "./services/databases/engine.js";
import { simulatedEngine } from "./services/databases/simulated-engine.js";
import type { Rows } from "./state/rows.js";
import type { Store } from "./state/store.js";

/** Creates the database engine: PostgreSQL is real or simulated by the settings; other engines are simulated. */
export function createDatabaseEngine(
  settings: Settings,
  store: Store,
  random: Random,
  dumps: Dumps,
  certificate: CertificateSource,
  report: (trouble: string) => void,
): DatabaseEngine {
  const simulated = simulatedEngine(random);
  if (settings.postgres === "simulated") return simulated;
  const postgres = lazyPostgresEngine({
    folder: settings.data === undefined ? undefined : join(settings.data, "postgres"),
    port: settings.postgresPort,
    poolPort: settings.postgresPoolPort,
    publicAccess:
      settings.publicHost === undefined ? undefined : { host: settings.publicHost, address: settings.host },
    certificate,
    random,
    dumps,
    report,
    find: ({ user, database }) => store.tables.databases.find("user", `${user} ${database}`)[0],
  });
  return byEngine(postgres, simulated);
}

function byEngine(postgresql: DatabaseEngine, others: DatabaseEngine): DatabaseEngine {
  const of = (database: Rows["databases"]) => (database.engine === "postgresql" ? postgresql : others);
  return {
    provision: (database) => of(database).provision(database),
    adjust: (database) => of(database).adjust(database),
    drop: (database) => of(database).drop(database),
    dump: (database, backup) => of(database).dump(database, backup),
    restore: (database, backup) => of(database).restore(database, backup),
    address: (database) => of(database).address(database),
    ports: () => [...postgresql.ports(), ...others.ports()],
    trouble: () => postgresql.trouble() ?? others.trouble(),
    async start() {
      await postgresql.start();
      await others.start();
    },
    async close() {
      await postgresql.close();
      await others.close();
    },
  };
}
