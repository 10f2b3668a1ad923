export type { DatabasePlanId, EventName, VpsImageId, VpsPlanId } from "cloudservices-sdk";
export { events } from "./events.js";
export * from "./functions/cost.js";
export * from "./functions/links.js";
export * from "./functions/mail.js";
export * from "./functions/network.js";
export type { Adoptable, ResourceOptions } from "./resource.js";
export * from "./resources/index.js";
