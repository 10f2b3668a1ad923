import { ConfigurationError, factOf, fixesOf } from "../../diagnostics/errors.js";
import { readSettings } from "../../settings/read-settings.js";
import type { Session } from "../../stack/session.js";
import { engineAddress } from "../log.js";
import type { ProviderProcess } from "../process.js";
import { watchEngine } from "../watch.js";
import { watchCancellation } from "./cancel.js";

const invalid = (summary: string): ConfigurationError =>
  new ConfigurationError({ code: "CONFIG_INVALID", summary });

/** The configuration of a process of dynamic providers. It serves one run of one stack, so there is one. */
export class Configuration {
  #error: ConfigurationError | undefined;
  #reported = false;
  #watching = false;

  constructor(readonly process: ProviderProcess) {}

  /** Opens the session. Synchronous, because the host may call other hooks before this one resolves. */
  configure(config: { get(key: string): string | undefined }): void {
    try {
      const settings = readSettings((key) => config.get(key), process.env);
      const { session } = this.process;
      if (session && JSON.stringify(session.settings) === JSON.stringify(settings)) return;
      const engine = engineAddress(process.argv.at(-1));
      if (engine !== undefined && !this.#watching) {
        watchEngine(engine, () => process.exit(1));
        watchCancellation(() => this.process.cancel());
      }
      this.#watching = true;
      this.process.open(settings, engine);
      this.#error = undefined;
    } catch (error) {
      this.process.close();
      this.#error =
        error instanceof ConfigurationError
          ? error
          : new ConfigurationError({ code: "CONFIG_INVALID", summary: factOf(error), fixes: fixesOf(error) });
    }
  }

  /** @throws ConfigurationError whose full text only the first resource reports. */
  session(): Session {
    if (this.process.session) return this.process.session;
    if (this.#reported) throw invalid("not tried: the configuration is invalid, see the first error");
    this.#reported = true;
    throw this.#error ?? invalid("the provider was called before it was configured");
  }
}
