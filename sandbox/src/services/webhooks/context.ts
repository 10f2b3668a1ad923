import type { Context } from "../../core/context.js";
import type { Outbound } from "./outbound.js";

export interface WebhooksContext extends Context {
  readonly outbound: Outbound;
}
