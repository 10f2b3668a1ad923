import type { Sandbox } from "cloudservices-sandbox";
import type { Exchange, JournalRecord, Live } from "../evidence/service.js";
import type { Clock } from "../time.js";

/** What the service answered, or what is sent in its place. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON that is written as such, or a text. */
  readonly body: unknown;
}

export type Victim = "provider" | "engine" | "sandbox";

/** What a run asks of a sandbox, in this process or in one of its own. */
export type Driven = Pick<
  Sandbox,
  "baseUrl" | "remove" | "seed" | "progress" | "resources" | "journal" | "clearJournal"
> & {
  change(...given: Parameters<Sandbox["change"]>): unknown;
  readonly faults: Pick<Sandbox["faults"], "add">;
};

/** What somebody else creates. */
export interface Planted {
  readonly kind: "Link" | "Database" | "VpsInstance" | "Inbox" | "Webhook";
  /** The fields in which it is like ours. */
  readonly like: readonly string[];
  /** As the wire spells them. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One request on its way through the proxy, for a fault to do with as it likes. */
export interface Hop {
  readonly method: string;
  readonly path: string;
  readonly route: string;
  /** The request's own body; a fault may replace it before it is forwarded. */
  body: unknown;
  target: string;
  readonly sandbox: Driven;
  readonly time: Clock;
  /** Has the service carry the request out, once. */
  forward(): Promise<Answer>;
  send(answer: Answer): void;
  /** Sends the beginning of it, and cuts the connection. */
  sendCut(answer: Answer, share: number): Promise<void>;
  reset(): void;
  /** Answers nothing, for as long as the provider waits. */
  stall(): void;
  /** Has somebody else create something on the account. */
  plant(planted: Planted): Promise<void>;
  /** Kills the provider, or the engine with it, or the service, which comes back with its data. */
  kill(whom: Victim): void;
}

export type Strike = (hop: Hop) => Promise<void> | void;

/** What is to be done to a request: the name under which it is recorded, and the strike. */
export interface ChosenFault {
  readonly name: string;
  readonly strike: Strike;
}

export type Recorded = { -readonly [member in keyof Exchange]: Exchange[member] };

/** A sandbox behind a proxy. */
export interface Service {
  readonly sandbox: Driven;
  readonly baseUrl: string;
  readonly exchanges: readonly Exchange[];
  /** Says what happens to each request from now on. */
  strikeWith(choose: (exchange: Exchange) => ChosenFault | undefined): void;
  /** Numbers the provider's process for the exchanges to come. */
  process: number;
  onKill: (whom: Victim) => void;
  onPlant: (planted: Planted) => Promise<void>;
  /** The keys that the service knows beside its own, and for which of its keys each stands; `undefined` is refused. */
  readonly keys: Map<string, string | undefined>;
  live(): Live[];
  journal(): JournalRecord[];
  /** Forgets what was asked until now. */
  forget(): void;
  close(): Promise<void>;
}
