import { separateConnections } from "./kernel/engine/separate-connections.js";

export type { DatabasePlanId, EventName, VpsImageId, VpsPlanId } from "cloudservices-sdk";
export type { Adoptable, ResourceOptions } from "./args.js";
export * from "./calls/cost.js";
export * from "./calls/links.js";
export * from "./calls/lookups.js";
export * from "./calls/mail.js";
export * from "./calls/network.js";
export * from "./classes/dynamic.js";
export { events } from "./events.js";

separateConnections();
