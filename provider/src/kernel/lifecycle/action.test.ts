import {
  ConflictError,
  FailedStateError,
  NotFoundError,
  PermissionError,
  ServerError,
  WaitTimeoutError,
} from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import {
  createResource,
  deleteResource,
  diff,
  readResource,
  updateResource,
} from "../../test-support/operations.js";
import { text } from "../definition/fields.js";
import type { Kind } from "../definition/kind.js";
import type { Properties } from "../definition/properties.js";
import { PartialFailure } from "../diagnostics/errors.js";
import { PlannedNames } from "../plan/planned-names.js";
import { readSettings } from "../settings/read-settings.js";
import { clientOf } from "../stack/client.js";
import { withinLimit } from "../stack/deadline.js";
import { Scope } from "../stack/scope.js";
import { Session } from "../stack/session.js";

interface Remote {
  readonly id?: string;
  readonly status: string;
}

const conflict = new ConflictError({ message: "409, it is moving.", outcome: "rejected" });
const late = new WaitTimeoutError({ message: "t1 is still moving after 1 s." });
const lost = new ServerError({ message: "the answer was lost", outcome: "ambiguous" });
const gone = new NotFoundError({ message: "not found", outcome: "rejected" });
const broken = new FailedStateError({ message: "the disk is broken" }, "failed");

type Answer = Error | Remote;

/**
 * Something that is done to a thing: `send`, `look` and `waiting` say what the service answers, the last of several for
 * good. A wait sees the things before the last of `waiting` on its way.
 */
function doing(
  api: "conventional" | "documented",
  send: Answer | Answer[],
  look: Answer,
  waiting: Answer | Answer[] = look,
) {
  const calls: string[] = [];
  const timeouts: (number | undefined)[] = [];
  const clock = { time: 0, now: () => clock.time, sleep: async () => undefined };
  const sends = [send].flat();
  const answer = async (call: string, what: Answer | undefined) => {
    calls.push(call);
    // Like a network: a concurrent request arrives before the response.
    await new Promise((resolve) => setImmediate(resolve));
    if (what === undefined) throw new Error("There is nothing to answer.");
    if (what instanceof Error) throw what;
    return what;
  };
  const kind: Kind<{ thing: string }, Remote> = {
    name: "Push",
    owner: "Thing",
    inputs: { thing: { schema: text(), onChange: "replace" } },
    outputs: {},
    timeouts: { create: 1_000, update: 1_000, delete: 1_000 },
    action: { target: ({ thing }) => thing, isRunning: ({ status }) => status === "moving" },
    readiness: {
      phase: ({ status }) => (status === "still" ? "ready" : "pending"),
      status: ({ status }) => status,
      reason: () => undefined,
      wait: async (_api, id, { onPoll, timeout }) => {
        timeouts.push(timeout);
        const seen = [waiting].flat();
        for (const resource of seen)
          if (!(resource instanceof Error)) onPoll?.({ id, attempt: 1, elapsed: 0, resource });
        return answer("wait", seen.at(-1));
      },
    },
    id: ({ id }) => id,
    create: () => answer("send", sends.length > 1 ? sends.shift() : sends[0]),
    read: () => answer("look", look),
  };
  const config: Record<string, string> = {
    "cloudservices:apiKey": "key",
    "cloudservices:baseUrl": "https://api.test/v1",
    "cloudservices:api": api,
  };
  const settings = readSettings((key) => config[key], {});
  const quiet = { status: () => undefined, warn: () => undefined };
  const scope = new Scope(kind, new Session(settings, clientOf(settings), quiet, clock));
  return { kind, scope, settings, calls, clock, timeouts };
}

const values = { thing: "t1", __urn: "urn:pulumi:dev::shop::cloudservices:Push::once" };

const target = "urn:pulumi:dev::shop::cloudservices:Thing::one";

async function failureOf(created: Promise<unknown>): Promise<PartialFailure> {
  const error = await created.catch((reason: unknown) => reason);
  if (!(error instanceof PartialFailure)) throw new Error(`It did not fail in part: ${String(error)}`);
  return error;
}

describe("an action on a resource", () => {
  it("is sent once and awaited", async () => {
    const { scope, calls } = doing("conventional", { id: "t1", status: "moving" }, { status: "still" });
    expect((await createResource(scope, values)).id).toBe("t1");
    expect(calls).toEqual(["send", "wait"]);
  });

  it.each(["conventional", "documented"] as const)(
    "fails without its target, and the message says how to continue, in the mode %s",
    async (api) => {
      const { scope } = doing(api, gone, gone);
      scope.session.claims.noteExisting(target, "t1");
      await expect(createResource(scope, values)).rejects.toThrow(
        api === "conventional"
          ? /\[CREATE_FAILED\].*if the Thing is deleted: pulumi refresh, then pulumi up/s
          : new RegExp(`if the Thing is deleted: pulumi state delete --target-dependents '${target}', then`),
      );
    },
  );

  it("is not recorded when the service rejects it", async () => {
    const refused = new PermissionError({ message: "the key may not", outcome: "rejected" });
    const { scope, calls } = doing("conventional", refused, { status: "still" });
    await expect(createResource(scope, values)).rejects.not.toBeInstanceOf(PartialFailure);
    expect(calls).toEqual(["send"]);
  });

  it("leaves nothing to read or delete", async () => {
    const { scope, calls } = doing("conventional", { id: "t1", status: "still" }, gone);
    const { id, outputs } = await createResource(scope, values);
    expect(await readResource(scope, id, outputs)).toMatchObject({ id, outputs, inputs: values });
    await deleteResource(scope, id, outputs);
    expect(calls).toEqual(["send"]);
    await expect(readResource(scope, "t1", {})).rejects.toThrow(/GET_UNSUPPORTED/);
  });
});

describe("an action that the service rejects because its target is busy", () => {
  const moving = { id: "t1", status: "moving" };
  const still = { id: "t1", status: "still" };

  it("is retried when the target is ready, as often as another action interferes", async () => {
    const { scope, calls } = doing("conventional", [conflict, conflict, still], still, [moving, still]);
    expect((await createResource(scope, values)).id).toBe("t1");
    expect(calls).toEqual(["send", "wait", "send", "wait", "send"]);
  });

  it("fails when the target is not busy: its state does not allow the action", async () => {
    const { scope, calls } = doing("conventional", conflict, still);
    const failed = createResource(scope, values);
    await expect(failed).rejects.toThrow(
      /^Push "once" .*409.*\[ACTION_NOT_RUN\].*t1 is still, which does not allow it/s,
    );
    await expect(failed).rejects.not.toBeInstanceOf(PartialFailure);
    expect(calls).toEqual(["send", "wait", "send"]);
  });

  it.each([
    ["needs too long", late, /\[ACTION_NOT_RUN\].*still moving after 1 s.*: pulumi up\n.*customTimeouts/s],
    ["fails", broken, /\[ACTION_NOT_RUN\].*the disk is broken.*: pulumi up\n/s],
    ["is gone", gone, /not found/],
  ])("does not run and is not recorded when the target %s", async (_what, end, expected) => {
    const { scope, calls } = doing("conventional", conflict, still, [moving, end]);
    const failed = createResource(scope, values);
    await expect(failed).rejects.toThrow(expected);
    await expect(failed).rejects.not.toBeInstanceOf(PartialFailure);
    expect(calls).toEqual(["send", "wait"]);
  });

  it("fails with advice when the target cannot be read", async () => {
    const { scope, calls } = doing("documented", conflict, still);
    await expect(createResource(scope, values)).rejects.toThrow(
      /\[ACTION_NOT_RUN\].*: pulumi up\n.*`dependsOn`/s,
    );
    expect(calls).toEqual(["send"]);
  });
});

describe("concurrent actions on one resource", () => {
  const moving = { id: "t1", status: "moving" };
  const still = { id: "t1", status: "still" };
  const other = (name: string, thing = "t1") => ({ thing, __urn: values.__urn.replace("once", name) });

  it("run one after the other, without a rejection", async () => {
    const { scope, calls } = doing("conventional", moving, still, [moving, still]);
    await Promise.all(["one", "two", "three"].map((name) => createResource(scope, other(name))));
    // Between two of them, the next one and the one that is finished both look.
    expect(calls.filter((call, at) => call === "send" && calls[at - 1] !== "send")).toHaveLength(3);
    expect(calls.filter((call) => call === "send")).toHaveLength(3);
  });

  it("continue after one of them has failed", async () => {
    const refused = new PermissionError({ message: "the key may not", outcome: "rejected" });
    const { scope, calls } = doing("conventional", [refused, still], still);
    const [first, second] = await Promise.allSettled([
      createResource(scope, values),
      createResource(scope, other("twice")),
    ]);
    expect([first?.status, second?.status]).toEqual(["rejected", "fulfilled"]);
    expect(calls).toEqual(["send", "send"]);
  });

  it("read the target once when the previous action may still run", async () => {
    const { scope, calls } = doing("conventional", [moving, still], still);
    await createResource(scope, values);
    await createResource(scope, other("twice"));
    expect(calls).toEqual(["send", "wait", "wait", "send"]);
  });

  it("do not read the target when the previous action has ended, or has another target", async () => {
    const { scope, calls } = doing("conventional", still, still);
    await createResource(scope, values);
    await Promise.all([
      createResource(scope, other("twice")),
      createResource(scope, other("elsewhere", "t2")),
    ]);
    expect(calls).toEqual(["send", "send", "send"]);
  });

  it("start their timeout at their turn, however long the previous action took", async () => {
    const { kind, scope, clock, timeouts } = doing("conventional", moving, still);
    const slow = new Scope(
      {
        ...kind,
        create: (api, inputs) => {
          clock.time += 800;
          return kind.create(api, inputs);
        },
      },
      scope.session,
    );
    const within = (which: Properties) => withinLimit(1_000, clock, {}, () => createResource(slow, which));
    await Promise.all([within(values), within(other("twice"))]);
    // The second one waits for the target before it is sent, and each waits for its own end.
    expect(timeouts).toEqual([1_000, 200, 200]);
  });

  it("are sent in order when the target cannot be read", async () => {
    const { scope, calls } = doing("documented", still, still);
    await Promise.all([createResource(scope, values), createResource(scope, other("twice"))]);
    expect(calls).toEqual(["send", "send"]);
  });
});

describe("an action whose response was lost", () => {
  it("succeeds when its target shows it", async () => {
    const { scope, calls } = doing("conventional", lost, { id: "t1", status: "moving" }, { status: "still" });
    await createResource(scope, values);
    expect(calls).toEqual(["send", "look", "wait"]);
  });

  it.each([
    ["shows nothing", "conventional", { id: "t1", status: "still" }, ["send", "look"]],
    ["cannot be read", "conventional", lost, ["send", "look"]],
    ["may not be read", "documented", { id: "t1", status: "moving" }, ["send"]],
  ] as const)("counts as done, with an error, when its target %s", async (_what, api, look, expected) => {
    const { scope, calls } = doing(api, lost, look);
    const failure = await failureOf(createResource(scope, values));
    expect(failure.message).toMatch(
      /^Push "once" \(t1\) .*\[ACTION_OUTCOME_UNKNOWN\]\s+cause: the answer was lost/,
    );
    expect(calls).toEqual(expected);
  });

  it.each([
    ["its target is ready", { id: "t1", status: "still" }],
    ["its target is gone", gone],
  ])("is finished by the next run without a request when %s", async (_when, look) => {
    const { outputs, resourceId } = await failureOf(
      createResource(doing("conventional", lost, lost).scope, values),
    );
    const { scope, kind, settings, calls } = doing("conventional", lost, look);
    const plan = (now: object) => diff(kind, { ...now }, values, settings, new PlannedNames(), 0);
    expect(plan(outputs)).toMatchObject({ changes: true, replaces: [] });
    const after = await updateResource(scope, resourceId, { ...outputs }, values);
    expect(plan(after)).toMatchObject({ changes: undefined, replaces: [] });
    expect(calls).toEqual(["look"]);
  });
});

describe("a target that fails on the way", () => {
  it("is reported, and the next run does not repeat the action", async () => {
    const moving = { id: "t1", status: "moving" };
    const { scope, kind, settings } = doing("conventional", moving, moving, broken);
    const { message, outputs } = await failureOf(createResource(scope, values));
    expect(message).toMatch(/\[NOT_READY\]\s+cause: the disk is broken/);
    expect(diff(kind, { ...outputs }, values, settings, new PlannedNames(), 0).replaces).toEqual([]);
  });

  it("can be replaced with the command in the message", async () => {
    const moving = { id: "t1", status: "moving" };
    const { scope } = doing("conventional", moving, moving, broken);
    scope.session.claims.noteExisting(target, "t1");
    expect((await failureOf(createResource(scope, values))).message).toContain(
      `: pulumi up --replace '${target}'`,
    );
  });
});
