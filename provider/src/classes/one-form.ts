import * as pulumi from "@pulumi/pulumi";

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
  const error = new pulumi.RunError(
    `${kind} ${JSON.stringify(name)} is declared in both forms [DECLARED_TWICE]\n` +
      `  cause: it is imported from ${other} and from ${form}, and each is the alias of the other.\n` +
      "  to change the form: remove the other declaration\n" +
      "  otherwise: another name for one of them",
  );
  error.stack = error.message;
  throw error;
}
