import { WaitTimeoutError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { createResource, diff, readResource, updateResource } from "../../test-support/operations.js";
import { errorOf, type Inputs, open, type Remote, service, urn } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";
import type { Properties } from "../definition/properties.js";
import { PartialFailure } from "../diagnostics/errors.js";
import { readState } from "./resource-state.js";

/** A service that stores a name and a colour in lower case. */
function lowering() {
  const all = service();
  const { kind, things } = all;
  const lower = (remote: Remote): Remote => {
    remote.name = remote.name.toLowerCase();
    if (remote.colour !== undefined) remote.colour = remote.colour.toLowerCase();
    return remote;
  };
  const lowers: Kind<Inputs, Remote> = {
    ...kind,
    create: async (api, inputs) => lower(await kind.create(api, inputs)),
    update: async (api, id, changes, context) => {
      const remote = await kind.update?.(api, id, changes, context);
      return remote && lower(remote);
    },
  };
  return { ...all, kind: lowers, things };
}

const given = { name: "Orders", colour: "Red", hidden: "a" };

async function created() {
  const all = lowering();
  const first = open(all.kind);
  const inputs = first.checked(given);
  const { id, outputs } = await createResource(first.scope, inputs);
  const { scope, session, warnings, checked } = open(all.kind);
  const planned = (olds: Properties, news: Properties) =>
    diff(all.kind, olds, { ...inputs, ...news }, session.settings, session.names, 0);
  return { ...all, id, inputs, outputs, scope, planned, checked, warned: first.warnings, warnings };
}

describe("pain: a value that the service normalises is permanent drift, or replaces the resource", () => {
  it("is stored at creation and reported once, and the next plan is empty", async () => {
    const { inputs, outputs, planned, warned } = await created();
    expect(outputs).toMatchObject(given);
    expect(warned).toEqual([
      'Thing "thing" (t1): the service stores name as "orders"; it was sent "Orders". Both count as the same value from now on.',
      'Thing "thing" (t1): the service stores colour as "red"; it was sent "Red". Both count as the same value from now on.',
    ]);
    expect(planned(outputs, inputs)).toMatchObject({ changes: undefined, replaces: [] });
  });

  it("is no drift, and stays equivalent when another field changes in place", async () => {
    const { id, inputs, outputs, planned, scope, warnings, calls } = await created();
    const refreshed = await readResource(scope, id, outputs);
    expect(refreshed).toMatchObject({ outputs: given, inputs: given });
    const news = { ...inputs, hidden: "b" };
    expect(planned(refreshed?.outputs ?? {}, news)).toMatchObject({ replaces: [] });
    const updated = await updateResource(scope, id, refreshed?.outputs ?? {}, news);
    expect(updated).toMatchObject({ ...given, hidden: "b" });
    expect(planned(updated, news)).toMatchObject({ changes: undefined, replaces: [] });
    expect(warnings).toEqual([]);
    calls.length = 0;
    await updateResource(scope, id, updated, { ...news, customTimeouts: { create: "1h" } });
    expect(calls).toEqual([]);
  });

  it("may be written into the program and removed again", async () => {
    const { id, inputs, outputs, planned, scope, calls } = await created();
    const stored = { ...inputs, name: "orders", colour: "red" };
    expect(planned(outputs, stored)).toMatchObject({ replaces: [] });
    calls.length = 0;
    const updated = await updateResource(scope, id, outputs, stored);
    expect(calls).toEqual([]);
    expect(updated).toMatchObject({ name: "orders", colour: "red" });
    expect(planned(updated, given)).toMatchObject({ replaces: [] });
    expect((await readResource(scope, id, updated))?.inputs).toMatchObject({ name: "orders", colour: "red" });
  });

  it("does not hide drift to a third value", async () => {
    const { id, outputs, things, planned, scope } = await created();
    Object.assign(things.get(id) ?? {}, { name: "invoices", colour: "blue" });
    const drifted = await readResource(scope, id, outputs);
    expect(drifted?.inputs).toMatchObject({ name: "invoices", colour: "blue" });
    expect(planned(drifted?.outputs ?? {}, given)).toMatchObject({ replaces: ["name"] });
    Object.assign(things.get(id) ?? {}, { name: "orders", colour: "red" });
    expect(await readResource(scope, id, drifted?.outputs ?? {})).toMatchObject({
      outputs: given,
      inputs: given,
    });
  });

  it("is stored after an update too, and a value that the service ignores is sent again", async () => {
    const { id, inputs, outputs, scope, warnings, planned, kind, things } = await created();
    const news = { ...inputs, colour: "Blue" };
    const updated = await updateResource(scope, id, outputs, news);
    expect(updated).toMatchObject({ colour: "Blue" });
    expect(planned(updated, news)).toMatchObject({ changes: undefined, replaces: [] });
    expect(warnings).toEqual([expect.stringContaining('stores colour as "blue"')]);

    const ignoring = open({ ...kind, update: async () => things.get(id) });
    const plain = { ...news, colour: "green" };
    const agreed = await updateResource(scope, id, updated, plain);
    const ignored = await updateResource(ignoring.scope, id, agreed, { ...plain, colour: "white" });
    expect(ignored).toMatchObject({ colour: "green" });
    expect(ignoring.warnings).toEqual([]);
  });

  it("is stored when the creation ends before the resource is ready", async () => {
    const { kind } = lowering();
    const slow: Kind<Inputs, Remote> = {
      ...kind,
      readiness: {
        phase: () => "pending",
        status: () => "provisioning",
        reason: () => undefined,
        wait: async () => {
          throw new WaitTimeoutError({ message: "too late" }, { status: "provisioning", seen: undefined });
        },
      },
    };
    const { scope, checked, session } = open(slow);
    const inputs = checked(given);
    const partial = await errorOf(createResource(scope, inputs));
    expect(partial).toBeInstanceOf(PartialFailure);
    if (!(partial instanceof PartialFailure)) return;
    const planned = diff(slow, { ...partial.outputs }, inputs, session.settings, session.names, 0);
    expect(planned).toMatchObject({ changes: true, replaces: [] });
  });

  it("is stored when an adopted resource changes in place", async () => {
    const { kind, add } = lowering();
    const { id } = add({ name: "by-hand", colour: "blue" });
    const { scope, checked, session } = open(kind);
    const inputs = checked({ adopt: id, colour: "Red" });
    const { outputs } = await createResource(scope, inputs);
    expect(outputs).toMatchObject({ colour: "Red" });
    const { adopt: _removed, ...news } = inputs;
    expect(diff(kind, outputs, news, session.settings, session.names, 0).replaces).toEqual([]);
    expect((await readResource(scope, id, outputs))?.inputs).toMatchObject({ colour: "Red" });
  });

  it("is reported without its value when the program marks it as secret", async () => {
    const { kind } = lowering();
    const { scope, warnings } = open(kind);
    const { outputs } = await createResource(scope, {
      colour: "Red",
      name: "n",
      __urn: urn,
      __secrets: ["colour"],
    });
    expect(warnings).toEqual([
      'Thing "thing" (t1): the service stores another colour than the one that it was sent. Both count as the same value from now on.',
    ]);
    expect(readState(outputs)?.normalised).toEqual({ colour: { sent: "Red", stored: "red" } });
  });
});

describe("a value that the service chose", () => {
  it("stays in the outputs after an update that sends nothing or fails half-way", async () => {
    const { kind, add, things } = service();
    const { id } = add({ name: "by-hand", colour: "red" });
    const { scope, checked } = open(kind);
    const inputs = checked({ adopt: id });
    const { outputs } = await createResource(scope, inputs);
    expect(outputs).toMatchObject({ name: "by-hand", colour: "red" });
    const news = { ...inputs, customTimeouts: { create: "1h" } };
    const updated = await updateResource(scope, id, outputs, news);
    expect(updated).toMatchObject({ name: "by-hand", colour: "red" });
    const lost = {
      ...kind,
      update: async () => Promise.reject(new TypeError("broken")),
      converge: kind.read,
    };
    const failing = open({ ...lost, converge: async (_api, remote) => remote });
    const partial = await errorOf(updateResource(failing.scope, id, updated, { ...news, hidden: "h" }));
    expect(partial).toMatchObject({ outputs: { name: "by-hand", colour: "red" } });
    expect(things.size).toBe(1);
  });

  it("may be written into the program without a change, unlike any other value", async () => {
    const { kind, add, calls } = service();
    const { id } = add({ name: "by-hand", colour: "red" });
    const { scope, checked, session } = open(kind);
    const inputs = checked({ adopt: id });
    const { outputs } = await createResource(scope, inputs);
    const planned = (news: Properties) =>
      diff(kind, outputs, { ...inputs, ...news }, session.settings, session.names, 0).replaces;
    expect(planned({ name: "by-hand" })).toEqual([]);
    expect(planned({ name: "other" })).toEqual(["name"]);
    calls.length = 0;
    const updated = await updateResource(scope, id, outputs, { ...inputs, name: "by-hand", colour: "red" });
    expect(calls).toEqual([]);
    expect(readState(updated)?.given).toEqual(["name", "colour"]);
  });

  it("is unknown when the program no longer sets it", async () => {
    const { kind } = service();
    const { scope, checked } = open(kind);
    const inputs = checked({ hidden: "h" });
    const { id, outputs } = await createResource(scope, inputs);
    const { hidden: _removed, ...news } = inputs;
    expect(await updateResource(scope, id, outputs, news)).not.toHaveProperty("hidden");
  });
});
