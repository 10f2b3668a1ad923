import { vpsPlans } from "cloudservices-sdk";
import { sameWord } from "../kernel/definition/fields.js";

/** Returns what the specification lists about a server's plan. */
export const vpsPlan = (id: unknown): (typeof vpsPlans)[number] | undefined =>
  vpsPlans.find((plan) => typeof id === "string" && sameWord(plan.id, id));
