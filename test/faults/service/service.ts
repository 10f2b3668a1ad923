import type { Sandbox } from "cloudservices-sandbox";
import type { Exchange, JournalRecord, Live } from "../evidence/service.js";
import type { Clock } from "../time.js";

/** A response of the service, or its replacement. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or a text. */
  readonly body: unknown;
}

export type Victim = "provider" | "engine" | "sandbox";

/** What a run needs of a sandbox, in this process or in another. */
export type DrivenSandbox = Pick<
  Sandbox,
  "baseUrl" | "remove" | "seed" | "progress" | "resources" | "journal" | "clearJournal"
> & {
  change(...given: Parameters<Sandbox["change"]>): unknown;
  readonly faults: Pick<Sandbox["faults"], "add">;
};

/** A resource that another owner creates. */
export interface Planted {
  readonly kind: "Link" | "Database" | "VpsInstance" | "Inbox" | "Webhook";
  /** The fields in which it is like ours. */
  readonly like: readonly string[];
  /** With wire names. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A request in the proxy. A fault decides what happens to it. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly route: string;
  /** The request's body. A fault may replace it before it forwards the request. */
  body: unknown;
  target: string;
  readonly sandbox: DrivenSandbox;
  readonly time: Clock;
  /** Sends the request to the service, at most once. */
  forward(): Promise<HttpResponse>;
  send(response: HttpResponse): void;
  /** Sends a share of the response, and cuts the connection. */
  sendPartly(response: HttpResponse, share: number): Promise<void>;
  reset(): void;
  /** Sends no response and keeps the connection open. */
  stall(): void;
  /** Creates a resource of another owner on the account. */
  plant(planted: Planted): Promise<void>;
  /** Kills the provider, the engine with the provider, or the service, which restarts with its data. */
  kill(whom: Victim): void;
}

export type Strike = (hop: ProxiedRequest) => Promise<void> | void;

/** The fault for a request, with its name in the evidence. */
export interface ChosenFault {
  readonly name: string;
  readonly strike: Strike;
}

export type Recorded = { -readonly [member in keyof Exchange]: Exchange[member] };

/** A sandbox behind a proxy. */
export interface Service {
  readonly sandbox: DrivenSandbox;
  readonly baseUrl: string;
  readonly exchanges: readonly Exchange[];
  /** Sets the function that chooses a fault for each request. */
  strikeWith(choose: (exchange: Exchange) => ChosenFault | undefined): void;
  /** The number of the current provider process. */
  process: number;
  onKill: (whom: Victim) => void;
  onPlant: (planted: Planted) => Promise<void>;
  /** Further keys, with the service's key that each is replaced by; a key without one is refused. */
  readonly keys: Map<string, string | undefined>;
  live(): Live[];
  journal(): JournalRecord[];
  /** Discards the recorded requests. */
  forget(): void;
  close(): Promise<void>;
}
