import type { Scenario } from "./evidence/evidence.js";
import type { ApiMode, Fields } from "./evidence/kinds.js";
import type { Declared, DeclaredProgram } from "./evidence/stack.js";
import { declare, program } from "./program.js";
import { named, type Subject, subjects } from "./subjects.js";

/** The commands of one run on a subject. The last one is the one to break. */
export interface Plan {
  readonly scenario: Scenario;
  readonly subject: Subject;
  readonly mode: ApiMode;
  readonly prefix: readonly Command[];
  readonly broken: Command;
  /** The final program; undefined for a destroy. */
  readonly final: DeclaredProgram | undefined;
  readonly seed: Subject["seed"] | undefined;
}

export type Command =
  | { readonly do: "up"; readonly program: DeclaredProgram }
  | { readonly do: "refresh"; readonly program: DeclaredProgram }
  | { readonly do: "destroy" };

const operations: readonly Scenario["operation"][] = [
  "create",
  "same",
  "update",
  "replace",
  "refresh",
  "adopt",
  "rename",
  "destroy",
];

export function plansOf(mode: ApiMode): Plan[] {
  return subjects.flatMap((subject) =>
    operations.flatMap((operation) => {
      if (mode === "documented" && !subject.documented.includes(operation)) return [];
      const plan = planOf(subject, operation, mode);
      return plan ? [plan] : [];
    }),
  );
}

/** A placeholder for the id of the resource to adopt. */
export const ADOPTED = "$adopted";

function planOf(subject: Subject, operation: Scenario["operation"], mode: ApiMode): Plan | undefined {
  const { declared, needs, updated, replaced, seed } = subject;
  const base = program(...needs, declared);
  const withInputs = (inputs: Fields) => program(...needs, named(declared, inputs));
  const first: Command = { do: "up", program: base };
  const common = {
    scenario: { name: `${subject.name}/${operation}`, kind: declared.kind, operation },
    subject,
    mode,
  };
  const made = (broken: Command, prefix: readonly Command[] = [first], seeded?: Subject["seed"]): Plan => ({
    ...common,
    prefix,
    broken,
    final: broken.do === "destroy" ? undefined : broken.program,
    seed: seeded,
  });
  switch (operation) {
    case "create":
      return made(first, []);
    case "same":
      return made(first);
    case "update":
      return updated && made({ do: "up", program: withInputs(updated) });
    case "replace":
      return replaced && made({ do: "up", program: withInputs(replaced) });
    case "refresh":
      return made({ do: "refresh", program: base });
    case "adopt":
      return seed && made({ do: "up", program: withInputs(adopting(seed, declared)) }, [], seed);
    case "rename": {
      const renamed = declare(declared.kind, `${declared.name}-renamed`, declared.inputs, {
        aliases: [declared.name],
      });
      return made({ do: "up", program: program(...needs, renamed) });
    }
    case "destroy":
      return made({ do: "destroy" });
  }
}

/** Returns the inputs that adopt a resource, including its name. */
function adopting(seed: NonNullable<Subject["seed"]>, { inputs }: Declared): Fields {
  const { name, slug, prefix } = seed.fields;
  return {
    ...inputs,
    ...(typeof name === "string" && { name }),
    ...(typeof slug === "string" && { slug }),
    ...(typeof prefix === "string" && { prefix }),
    adopt: ADOPTED,
  };
}
