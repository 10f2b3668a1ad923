import * as pulumi from "@pulumi/pulumi";
import { programError } from "../kernel/engine/program-error.js";

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
