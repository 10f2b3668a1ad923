import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import type { Definition } from "../kernel/definition/kind.js";
import { secretNames } from "../kernel/definition/kind-values.js";
import {
  containsUnknown,
  hasVisible,
  isHidden,
  isRecord,
  type Properties,
  UNKNOWN,
  URN_KEY,
} from "../kernel/definition/properties.js";
import { render } from "../kernel/diagnostics/diagnostic.js";
import { checkWithClassInputs } from "../kernel/engine/dynamic/class-inputs.js";
import { programError } from "../kernel/engine/program-error.js";
import { markedSecrets, received } from "../kernel/engine/wire-values.js";
import { PlannedNames } from "../kernel/plan/planned-names.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import type { Settings } from "../kernel/settings/settings.js";
import { outputsOf } from "../kernel/state/outputs.js";
import { type KindName, kindOfType } from "../kind-of-type.js";
import { backupSchedule } from "../resources/backup-schedule.js";
import { database } from "../resources/database.js";
import { inbox } from "../resources/inbox.js";
import { link } from "../resources/link.js";
import { vpsAction } from "../resources/vps-action.js";
import { vpsInstance } from "../resources/vps-instance.js";
import { webhook } from "../resources/webhook.js";
import {
  backupScheduleResponse,
  databaseResponse,
  inboxResponse,
  linkResponse,
  type Seed,
  vpsActionResponse,
  vpsInstanceResponse,
  webhookResponse,
} from "./mock-responses.js";

/** One resource of a program. */
interface Declared {
  readonly name: string;
  readonly urn: string;
  readonly inputs: Properties;
  /** The inputs that the program marks as secret. */
  readonly secrets: readonly string[];
  /** Set for a resource that the program only reads. */
  readonly id: string | undefined;
}

interface Mocked {
  readonly id: string;
  readonly state: Record<string, unknown>;
}

type Mock = (declared: Declared, settings: Settings, names: PlannedNames) => Mocked;

/** Returns the mock of a kind, whose ids have a prefix, by what the service returns. */
const mockOf =
  <I extends object, O extends object, R extends object>(
    kind: Definition<I, O, R>,
    prefix: string,
    respond: (inputs: Properties, seed: Seed) => R,
  ): Mock =>
  (declared, settings, names) => {
    const seed = seedOf(prefix, declared);
    const inputs = declared.id === undefined ? checkedInputs(kind, declared, settings, names) : {};
    const remote = respond(inputs, seed);
    const outputs = outputsOf(kind, settings, inputs, remote, {}, { ready: true });
    const secrets = new Set([...secretNames(kind), ...declared.secrets]);
    // Without those that are unknown in a preview.
    const visible = Object.entries(outputs).filter(
      ([key]) => !isHidden(key) && !containsUnknown(inputs[key]),
    );
    const state = visible.map(([key, value]) => [key, secrets.has(key) ? pulumi.secret(value) : value]);
    return { id: kind.id(remote) ?? seed.id, state: Object.fromEntries(state) };
  };

/** @throws RunError that says what is wrong with an input. */
function checkedInputs<I extends object, R extends object>(
  kind: Definition<I, object, R>,
  { name, urn, inputs }: Declared,
  settings: Settings,
  names: PlannedNames,
): Properties {
  const checked = checkWithClassInputs(kind, {}, { [URN_KEY]: urn, ...inputs }, settings, names);
  const [failure] = checked.failures;
  if (failure !== undefined) throw programError(`${kind.name} "${name}": ${render(failure)}`);
  return checked.inputs;
}

function seedOf(prefix: string, { name, id }: Declared): Seed {
  const digest = createHash("sha256").update(name).digest();
  return {
    id: id ?? `${prefix}_${digest.toString("hex").slice(0, 12)}`,
    number: 1 + (digest.readUInt16BE(0) % 254),
  };
}

const mocksOfKinds: Readonly<Record<KindName, Mock>> = {
  BackupSchedule: mockOf(backupSchedule, "db", backupScheduleResponse),
  Database: mockOf(database, "db", databaseResponse),
  Inbox: mockOf(inbox, "inbox", inboxResponse),
  Link: mockOf(link, "link", linkResponse),
  VpsAction: mockOf(vpsAction, "vps", vpsActionResponse),
  VpsInstance: mockOf(vpsInstance, "vps", vpsInstanceResponse),
  Webhook: mockOf(webhook, "wh", webhookResponse),
};

/** Returns a program's value in the kernel's form. In a preview, outputs of other packages may be unknown. */
function entering(value: unknown): unknown {
  if (pulumi.isUnknown(value)) return UNKNOWN;
  if (Array.isArray(value)) return value.map(entering);
  return isRecord(value) ? propertiesIn(value) : value;
}

const propertiesIn = (values: Properties): Properties =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, entering(value)]));

/** The settings that the program's configuration may leave out, because nothing is sent. */
const UNUSED: Readonly<Record<string, string>> = {
  "cloudservices:apiKey": "mock",
  "cloudservices:baseUrl": "https://api.example.com/v1",
};

function configured(): Settings {
  const config = new pulumi.Config("cloudservices");
  return readSettings((key) => config.get(key.replace(/^cloudservices:/, "")) ?? UNUSED[key], {});
}

/**
 * Returns mocks for Pulumi's unit tests: a program runs without the engine, the service and the sandbox. Its inputs are
 * checked as in a preview, and its outputs have the form of the service's. Simulated: nothing exists afterwards.
 *
 * The same program gives the same ids and values in every run. Hosts are below `example.com`, addresses in 192.0.2.0/24
 * and 2001:db8::/32, times on 2026-01-01.
 *
 * Functions that read data (`getLink`, `waitForMessage` and others) send requests from the program, which mocks cannot
 * intercept; use `testStack` for them.
 *
 * @param others - Mocks for the resources and functions of other packages. Default: a resource returns its inputs, and
 * a function its arguments.
 *
 * @example
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { mocks } from "pulumi-cloudservices/testing";
 *
 * await pulumi.runtime.setMocks(mocks());
 * const { home } = await import("./index.js");
 * ```
 */
export function mocks(others: Partial<pulumi.runtime.Mocks> = {}): pulumi.runtime.Mocks {
  const names = new PlannedNames();
  return {
    newResource(args) {
      const kind = kindOfType(args.type);
      if (kind === undefined)
        return others.newResource?.(args) ?? { id: `${args.name}-id`, state: args.inputs };
      const urn = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${args.type}::${args.name}`;
      const given = propertiesIn(args.inputs);
      const declared = {
        name: args.name,
        urn,
        inputs: received(given),
        secrets: markedSecrets(given),
        // An import has inputs, too; a resource that is only read has none.
        id: args.id === "" || hasVisible(given) ? undefined : args.id,
      };
      return mocksOfKinds[kind](declared, configured(), names);
    },
    call: (args) => others.call?.(args) ?? args.inputs,
  };
}
