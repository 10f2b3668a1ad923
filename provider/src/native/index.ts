import { separateConnections } from "../kernel/engine/separate-connections.js";

export type { DatabasePlanId, EventName, VpsImageId, VpsPlanId } from "cloudservices-sdk";
export type { Adoptable, ResourceOptions } from "../args.js";
export { events } from "../events.js";
export * from "./generated/classes.js";
export * from "./generated/cost.js";
export * from "./generated/links.js";
export * from "./generated/lookups.js";
export * from "./generated/mail.js";
export * from "./generated/network.js";
export { nativePlugin } from "./plugin-set-up.js";
export { Provider, type ProviderArgs } from "./provider.js";

separateConnections();
