import { ConflictError, FailedStateError, NotFoundError, ServerError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { clientOf } from "./client.js";
import { diff } from "./diff.js";
import { PartialFailure } from "./errors.js";
import { text } from "./fields.js";
import { defineKind } from "./kind.js";
import { create, read, update } from "./lifecycle.js";
import { NamesInPlan } from "./named.js";
import { remove } from "./remove.js";
import { Scope } from "./scope.js";
import { Session } from "./session.js";
import { readSettings } from "./settings.js";

interface Remote {
  readonly id?: string;
  readonly status: string;
}

const lost = new ServerError({ message: "the answer was lost", outcome: "ambiguous" });
const gone = new NotFoundError({ message: "not found", outcome: "rejected" });
const broken = new FailedStateError({ message: "the disk is broken" }, "failed");

/** Something that is done to a thing: `send` and `look` say what the service answers. */
function doing(
  api: "conventional" | "documented",
  send: Error | Remote,
  look: Error | Remote,
  waiting: Error | Remote = look,
) {
  const calls: string[] = [];
  const answer = async (call: string, what: Error | Remote) => {
    calls.push(call);
    if (what instanceof Error) throw what;
    return what;
  };
  const kind = defineKind<{ thing: string }, Record<never, never>, Remote>({
    name: "Push",
    inputs: { thing: { schema: text(), onChange: "replace" } },
    outputs: {},
    limits: { create: 1_000, update: 1_000, delete: 1_000 },
    occurrence: { target: ({ thing }) => thing, isUnderWay: ({ status }) => status === "moving" },
    settling: {
      phase: ({ status }) => (status === "still" ? "settled" : "pending"),
      status: ({ status }) => status,
      reason: () => undefined,
      wait: () => answer("wait", waiting),
    },
    id: ({ id }) => id,
    create: () => answer("send", send),
    read: () => answer("look", look),
  });
  const config: Record<string, string> = {
    "cloudservices:apiKey": "key",
    "cloudservices:baseUrl": "https://api.test/v1",
    "cloudservices:api": api,
  };
  const settings = readSettings((key) => config[key], {});
  const quiet = { status: () => undefined, warn: () => undefined };
  const clock = { now: () => 0, sleep: async () => undefined };
  const scope = new Scope(kind, new Session(settings, clientOf(settings), quiet, clock));
  return { kind, scope, settings, calls };
}

const values = { thing: "t1", __urn: "urn:pulumi:dev::shop::cloudservices:Push::once" };

async function failureOf(created: Promise<unknown>): Promise<PartialFailure> {
  const error = await created.catch((reason: unknown) => reason);
  if (!(error instanceof PartialFailure)) throw new Error(`It did not fail in part: ${String(error)}`);
  return error;
}

describe("what is done to a resource", () => {
  it("is sent once and waited for", async () => {
    const { scope, calls } = doing("conventional", { id: "t1", status: "moving" }, { status: "still" });
    expect((await create(scope, values)).id).toBe("t1");
    expect(calls).toEqual(["send", "wait"]);
  });

  it("is not recorded where the service refuses it", async () => {
    const refused = new ConflictError({ message: "it is busy", outcome: "rejected" });
    const { scope } = doing("conventional", refused, { status: "still" });
    await expect(create(scope, values)).rejects.not.toBeInstanceOf(PartialFailure);
  });

  it("leaves nothing to read or delete", async () => {
    const { scope, calls } = doing("conventional", { id: "t1", status: "still" }, gone);
    const { id, outputs } = await create(scope, values);
    expect(await read(scope, id, outputs)).toMatchObject({ id, outputs, inputs: values });
    await remove(scope, id, outputs);
    expect(calls).toEqual(["send"]);
    await expect(read(scope, "t1", {})).rejects.toThrow(/cannot be read with `get`/);
  });
});

describe("what was done, or not, when the answer was lost", () => {
  it("was done where its target shows it", async () => {
    const { scope, calls } = doing("conventional", lost, { id: "t1", status: "moving" }, { status: "still" });
    await create(scope, values);
    expect(calls).toEqual(["send", "look", "wait"]);
  });

  it.each([
    ["shows nothing", "conventional", { id: "t1", status: "still" }, ["send", "look"]],
    ["cannot be read", "conventional", lost, ["send", "look"]],
    ["may not be read", "documented", { id: "t1", status: "moving" }, ["send"]],
  ] as const)("counts as done, and is told, where its target %s", async (_what, api, look, expected) => {
    const { scope, calls } = doing(api, lost, look);
    const failure = await failureOf(create(scope, values));
    expect(failure.message).toMatch(/^Push "once" \(t1\) may or may not have been done: the answer was lost/);
    expect(calls).toEqual(expected);
  });

  it.each([
    ["its target has settled", { id: "t1", status: "still" }],
    ["its target is gone", gone],
  ])("is over with the next run, which sends nothing, when %s", async (_when, look) => {
    const { outputs, resourceId } = await failureOf(create(doing("conventional", lost, lost).scope, values));
    const { scope, kind, settings, calls } = doing("conventional", lost, look);
    const plan = (now: object) => diff(kind, { ...now }, values, settings, new NamesInPlan(), 0);
    expect(plan(outputs)).toMatchObject({ changes: true, replaces: [] });
    const after = await update(scope, resourceId, { ...outputs }, values);
    expect(plan(after)).toMatchObject({ changes: undefined, replaces: [] });
    expect(calls).toEqual(["look"]);
  });
});

describe("a target that fails on the way", () => {
  it("is told, and does not make the next run do it again", async () => {
    const moving = { id: "t1", status: "moving" };
    const { scope, kind, settings } = doing("conventional", moving, moving, broken);
    const { message, outputs } = await failureOf(create(scope, values));
    expect(message).toContain("was begun, but is not finished: the disk is broken");
    expect(diff(kind, { ...outputs }, values, settings, new NamesInPlan(), 0).replaces).toEqual([]);
  });
});
