import { type Properties, STATE_KEY } from "../definition/properties.js";
import { ConfigurationError, factOf } from "../diagnostics/errors.js";
import { readSettings } from "../settings/settings.js";
import { clientOf } from "../stack/client.js";
import { Cancellation } from "../stack/deadline.js";
import { Session } from "../stack/session.js";
import { readState, withCleanReason } from "../state/resource-state.js";
import { watchCancellation } from "./dynamic/cancel.js";
import { engineAddress, engineReporter } from "./log.js";
import { redact, secretsIn } from "./redact.js";
import { representable, wellFormed } from "./representable.js";
import { watchEngine } from "./watch.js";
import { withSecrets } from "./wire-values.js";

const invalid = (summary: string): ConfigurationError =>
  new ConfigurationError({ code: "CONFIG_INVALID", summary });

/** The session of this process. One process serves one run of one stack, so there is one configuration. */
export class ProviderProcess {
  #session: Session | undefined;
  #error: ConfigurationError | undefined;
  #reported = false;
  #watching = false;
  #delivered: () => Promise<void> = async () => undefined;
  readonly #cancellation = new Cancellation();
  /** The secrets of all resources: a response about one resource may contain the secret of another. */
  readonly #secrets = new Set<string>();

  /** Records secrets to redact from all later messages. */
  addSecrets(values: Properties, names: ReadonlySet<string>): void {
    for (const secret of secretsIn(values, names)) this.#secrets.add(secret);
  }

  /** Returns the outputs in the form that the engine may store. */
  storable(outputs: Properties, names: ReadonlySet<string>): Properties {
    const kept = representable(outputs);
    this.addSecrets(kept, names);
    const normalised = readState(kept)?.normalised ?? {};
    this.addSecrets(normalised, names);
    // The state then also contains the service's spelling of a secret.
    const isSecret = Object.keys(normalised).some((field) => names.has(field));
    return withSecrets(
      withCleanReason(kept, (text) => this.clean(text)),
      isSecret ? new Set([...names, STATE_KEY]) : names,
    );
  }

  /** Redacts a message. Never throws: the error with the message may carry the id of a resource. */
  clean(text: string): string {
    try {
      return redact(wellFormed(text), [this.#session?.settings.apiKey ?? "", ...this.#secrets]);
    } catch (error) {
      return `The message cannot be shown (${error instanceof Error ? error.name : "unknown error"}).`;
    }
  }

  /** Opens the session. Synchronous, because the host may call other hooks before this one resolves. */
  configure(config: { get(key: string): string | undefined }): void {
    try {
      const settings = readSettings((key) => config.get(key), process.env);
      if (this.#session && JSON.stringify(this.#session.settings) === JSON.stringify(settings)) return;
      const engine = engineAddress(process.argv.at(-1));
      if (engine !== undefined && !this.#watching) {
        watchEngine(engine, () => process.exit(1));
        watchCancellation(() => this.#cancellation.cancel());
      }
      this.#watching = true;
      const { status, warn, delivered } = engineReporter(engine);
      this.#delivered = delivered;
      const reporter = {
        status,
        warn: (urn: string | undefined, text: string) => warn(urn, this.clean(text)),
      };
      const { bounds, signal } = this.#cancellation;
      const sleep = (time: number) => this.#cancellation.sleep(time);
      const clock = { now: Date.now, sleep };
      this.#session = new Session(settings, clientOf(settings, bounds), reporter, clock, signal);
      this.#error = undefined;
    } catch (error) {
      this.#session = undefined;
      this.#error =
        error instanceof ConfigurationError
          ? error
          : new ConfigurationError({ code: "CONFIG_INVALID", summary: factOf(error) });
    }
  }

  /** Resolves when the engine has accepted every warning. */
  delivered(): Promise<void> {
    return this.#delivered();
  }

  session(): Session {
    if (this.#session) return this.#session;
    if (this.#reported) throw invalid("not tried: the configuration is invalid, see the first error");
    this.#reported = true;
    throw this.#error ?? invalid("the provider was called before it was configured");
  }
}
