import { type Properties, STATE_KEY } from "../definition/properties.js";
import type { Settings } from "../settings/settings.js";
import { clientOf } from "../stack/client.js";
import { Cancellation } from "../stack/deadline.js";
import { Session } from "../stack/session.js";
import { readState, withCleanReason } from "../state/resource-state.js";
import { type StoredKind, withStateText } from "../state/state-text.js";
import { engineReporter } from "./log.js";
import { redact, secretsIn } from "./redact.js";
import { representable, wellFormed } from "./representable.js";
import { requestLog } from "./request-log.js";
import { withSecrets } from "./wire-values.js";

/** How the outputs of a resource are stored. */
interface Stored {
  readonly kind: StoredKind;
  /** The names of the properties that are secret. */
  readonly secrets: ReadonlySet<string>;
}

/** What one process of the provider knows: its session, and the secrets that no message may contain. */
export class ProviderProcess {
  #session: Session | undefined;
  #delivered: () => Promise<void> = async () => undefined;
  readonly #cancellation = new Cancellation();
  /** The secrets of all resources: a response about one resource may contain the secret of another. */
  readonly #secrets = new Set<string>();

  /** Records secrets to redact from all later messages. */
  addSecrets(values: Properties, names: ReadonlySet<string>): void {
    for (const secret of secretsIn(values, names)) this.#secrets.add(secret);
  }

  /** Returns the outputs in the form that the engine may store. */
  storable(outputs: Properties, { kind, secrets: names }: Stored): Properties {
    const kept = representable(outputs);
    this.addSecrets(kept, names);
    const normalised = readState(kept)?.normalised ?? {};
    this.addSecrets(normalised, names);
    // The state then also contains the service's spelling of a secret.
    const isSecret = Object.keys(normalised).some((field) => names.has(field));
    return withSecrets(
      withStateText(
        kind,
        withCleanReason(kept, (text) => this.clean(text)),
      ),
      isSecret ? new Set([...names, STATE_KEY]) : names,
    );
  }

  /** Returns the outputs or, if the engine cannot carry them, the inputs: an existing resource stays in the state. */
  storableOr(inputs: Properties, outputs: Properties, how: Stored): Properties {
    try {
      return this.storable(outputs, how);
    } catch {
      return { ...inputs, [STATE_KEY]: representable({ state: outputs[STATE_KEY] })["state"] ?? {} };
    }
  }

  /** Redacts a message. Never throws: the error with the message may carry the id of a resource. */
  clean(text: string): string {
    try {
      return redact(wellFormed(text), [this.#session?.settings.apiKey ?? "", ...this.#secrets]);
    } catch (error) {
      return `The message cannot be shown (${error instanceof Error ? error.name : "unknown error"}).`;
    }
  }

  /**
   * Opens the session.
   *
   * @param engine - The engine's address; without it, warnings are printed.
   */
  open(settings: Settings, engine: string | undefined): void {
    const { status, warn, delivered } = engineReporter(engine);
    this.#delivered = delivered;
    const reporter = {
      status,
      warn: (urn: string | undefined, text: string) => warn(urn, this.clean(text)),
    };
    const { bounds, signal } = this.#cancellation;
    const sleep = (time: number) => this.#cancellation.sleep(time);
    const clock = { now: Date.now, sleep };
    const hide = (text: string) => redact(this.clean(text), [settings.apiKey]);
    const client = clientOf(settings, bounds, requestLog(process.env, hide));
    this.#session = new Session(settings, client, reporter, clock, signal);
  }

  close(): void {
    this.#session = undefined;
  }

  /** Ends all waits, and lets the requests in flight finish. */
  cancel(): void {
    this.#cancellation.cancel();
  }

  /** Resolves when the engine has accepted every warning. */
  delivered(): Promise<void> {
    return this.#delivered();
  }

  /** Absent until a configuration was accepted. */
  get session(): Session | undefined {
    return this.#session;
  }
}
