import type { DatabaseEngine } from "../services/databases/engine.js";
import type { PostgresEngine, PostgresOptions } from "./engine.js";

/** Loads the PostgreSQL engine with the first database, so that other sandboxes start faster. */
export function lazyPostgresEngine(options: PostgresOptions): DatabaseEngine {
  let loading: Promise<PostgresEngine> | undefined;
  let loaded: PostgresEngine | undefined;
  const load = () => {
    loading ??= import("./engine.js").then((module) => {
      loaded = new module.PostgresEngine(options);
      return loaded;
    });
    return loading;
  };
  return {
    provision: async (database) => (await load()).provision(database),
    adjust: async (database) => (await load()).adjust(database),
    drop: async (database) => (await load()).drop(database),
    dump: async (database, backup) => (await load()).dump(database, backup),
    restore: async (database, backup) => (await load()).restore(database, backup),
    address: (database) => loaded?.address(database),
    ports: () => loaded?.ports() ?? [],
    trouble: () => loaded?.trouble(),
    start: async () => (await load()).start(),
    close: async () => (await loading)?.close(),
  };
}
