import { vpsPlans } from "cloudservices-sdk";
import { listedAs } from "../kernel/definition/rules.js";

/** Returns what the specification lists about a server's plan. */
export const vpsPlan = (id: unknown): (typeof vpsPlans)[number] | undefined => listedAs(vpsPlans, id);
