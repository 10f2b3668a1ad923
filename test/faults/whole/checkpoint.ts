import { kinds } from "../evidence/kinds.js";
import type { State, StateResource } from "../evidence/stack.js";
import { typeOf } from "../program.js";

/*
 * Converts the engine's checkpoint to evidence.
 */

const SIGNATURE = "4dabf18193072939515e22adb298388d";

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const recordOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** With secrets as `{ "$secret": … }`. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (!isRecord(value)) return value;
  const { plaintext } = value;
  if (SIGNATURE in value && typeof plaintext === "string") return { $secret: JSON.parse(plaintext) };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shown(member)]));
}

const shownFields = (value: unknown): Fields => recordOf(shown(value));

function resourceOf(value: unknown): StateResource[] {
  const { urn, type, id, inputs, outputs, initErrors, dependencies, delete: doomed } = recordOf(value);
  const kind = kinds.find((each) => String(type) === typeOf(each));
  if (kind === undefined) return [];
  return [
    {
      urn: String(urn),
      kind,
      id: typeof id === "string" ? id : "",
      inputs: shownFields(inputs),
      outputs: shownFields(outputs),
      initErrors: listOf(initErrors).map(String),
      dependencies: listOf(dependencies).map(String),
      ...(doomed === true && { pendingDelete: true as const }),
    },
  ];
}

/**
 * @param exported - What `pulumi stack export --show-secrets` prints.
 * @param text - The text of the checkpoint file.
 */
export function stateOf(exported: string, text: string): State {
  const { deployment } = recordOf(JSON.parse(exported));
  const { resources, pending_operations: pending } = recordOf(deployment);
  return {
    resources: listOf(resources).flatMap(resourceOf),
    pending: listOf(pending).map((operation) => {
      const { type, resource } = recordOf(operation);
      return { op: String(type), urn: String(recordOf(resource)["urn"]) };
    }),
    text,
  };
}
