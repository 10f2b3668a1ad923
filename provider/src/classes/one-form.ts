import * as pulumi from "@pulumi/pulumi";
import { programError } from "../kernel/engine/program-error.js";
import { databaseBehind } from "../resources/database-behind.js";

/** The two forms of the provider, as the import lines name them. */
type Form = "pulumi-cloudservices" | "pulumi-cloudservices/native";

const declared = new WeakMap<pulumi.Resource, Map<string, Form>>();

/**
 * Records the form in which a program declares a resource.
 *
 * @param parent - The parent of the resource. Default: the stack.
 * @throws RunError when the program declares a resource of the same kind and name in the other form. Each would be the
 *   alias of the other.
 */
export function requireOneForm(
  form: Form,
  kind: string,
  name: string,
  parent: pulumi.Resource | undefined = pulumi.runtime.getStackResource(),
): void {
  // Tests with mocks have no stack, and their resources do not belong together.
  if (parent === undefined) return;
  const forms = declared.get(parent) ?? new Map<string, Form>();
  declared.set(parent, forms);
  const key = `${kind} ${name}`;
  const other = forms.get(key);
  forms.set(key, form);
  if (other === undefined || other === form) return;
  throw programError({
    code: "DECLARED_TWICE",
    summary: `${kind} ${JSON.stringify(name)} is declared in both forms`,
    cause: `it is imported from ${other} and from ${form}, and each is the alias of the other.`,
    fixes: [
      { when: "to change the form", line: "remove the other declaration" },
      { when: "otherwise", line: "another name for one of them" },
    ],
  });
}

interface Schedule {
  readonly type: string;
  readonly name: string;
}

const schedules = new WeakMap<pulumi.Resource, Map<unknown, Schedule>>();

/**
 * Records the form in which a program declares the schedule of a database.
 *
 * @param databaseId - The id, or the output of a database in the program. Any other output is not compared.
 * @throws RunError when the program declares another schedule of the database in the other form. Each would overwrite
 *   the other.
 */
export function requireOneFormOfSchedule(type: string, name: string, databaseId: unknown): void {
  const stack = pulumi.runtime.getStackResource();
  const database = typeof databaseId === "string" ? databaseId : databaseBehind(databaseId);
  if (stack === undefined || database === undefined) return;
  const known = schedules.get(stack) ?? new Map<unknown, Schedule>();
  schedules.set(stack, known);
  const other = known.get(database);
  known.set(database, { type, name });
  // The plugin of one form recognises two schedules of its own.
  if (other === undefined || other.type === type) return;
  throw programError({
    code: "DECLARED_TWICE",
    summary: `BackupSchedule ${JSON.stringify(name)} and ${JSON.stringify(other.name)} are of one database, in two forms`,
    cause: "a database has one schedule, and each would overwrite the other.",
    fixes: [{ line: "remove one of them" }],
  });
}
