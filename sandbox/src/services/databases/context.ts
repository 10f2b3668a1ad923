import type { Context } from "../../core/context.js";
import type { Dumps } from "./dumps.js";
import type { DatabaseEngine } from "./engine.js";

export interface DatabasesContext extends Context {
  readonly databaseEngine: DatabaseEngine;
  /** The dump files of backups. */
  readonly dumps: Dumps;
}
