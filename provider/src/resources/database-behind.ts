/** The hidden input with the plan of the schedule's database. */
export const PLAN_KEY = "__plan";

/** Returns the plan of the database whose output an id is. */
export const planBehind = (id: unknown): unknown => databaseBehind(id)?.plan;

/** A Database of either form, in a program. */
interface DatabaseResource {
  readonly id: unknown;
  readonly plan: unknown;
}

/** Returns the database whose output an id is. The engine's library tracks the resource of an output. */
export function databaseBehind(id: unknown): DatabaseResource | undefined {
  const resources: unknown =
    typeof id === "object" && id !== null && "resources" in id && typeof id.resources === "function"
      ? id.resources()
      : [];
  const owners = resources instanceof Set ? [...resources] : [];
  const [database, ...others] = owners.filter((owner) => isDatabase(owner));
  return others.length === 0 ? database : undefined;
}

const isDatabase = (value: unknown): value is DatabaseResource =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  "plan" in value &&
  "__pulumiType" in value &&
  typeof value.__pulumiType === "string" &&
  /^(pulumi-nodejs:dynamic\/cloudservices|cloudservices:index):Database$/.test(value.__pulumiType);
