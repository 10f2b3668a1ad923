import { NotFoundError, RouteMissingError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { listOf } from "../../test-support/list.js";
import {
  createResource,
  deleteResource,
  readResource,
  updateResource,
} from "../../test-support/operations.js";
import { errorOf, type Inputs, open, type Remote, service } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";

const notFound = () => Promise.reject(new NotFoundError({ message: "not found", outcome: "rejected" }));
const noRoute = (facts = {}) =>
  Promise.reject(new RouteMissingError({ message: "no such route", outcome: "rejected", ...facts }));

/** A resource that one run created, and a later run on a service with the responses of `change`. */
async function later(change: (kind: Kind<Inputs, Remote>) => Kind<Inputs, Remote>, config = {}) {
  const all = service();
  const first = open(all.kind);
  const { id, outputs } = await createResource(first.scope, first.checked({ name: "one" }));
  all.calls.length = 0;
  const run = () => open(change(all.kind), config);
  return { ...all, ...run(), run, first, id, outputs };
}

/** The service has no route that reads or deletes the kind, and responds as if the resource did not exist. */
const blind = ({ list: _, ...kind }: Kind<Inputs, Remote>) => ({ ...kind, read: notFound, delete: notFound });
const unlisted = ({ list: _, ...kind }: Kind<Inputs, Remote>) => kind;

function listed({ list }: Kind<Inputs, Remote>): NonNullable<typeof list> {
  if (!list) throw new Error("it cannot be listed");
  return list;
}

describe("a read that returns RESOURCE_NOT_FOUND", () => {
  it("does not prove absence when that route has never worked and nothing else shows it", async () => {
    const { scope, id, outputs, warnings } = await later(blind);
    expect(await readResource(scope, id, outputs)).toMatchObject({ id, outputs });
    expect(warnings).toEqual([
      expect.stringMatching(/Thing "thing" \(t1\).*stays in the state.*pulumi state delete/s),
    ]);
  });

  it("proves absence when the state shows that a read of the resource has succeeded before", async () => {
    const { run, id, outputs, things, calls } = await later(unlisted);
    const seen = await readResource(run().scope, id, outputs);
    expect(seen?.outputs).toMatchObject({ __state: { read: true } });
    things.clear();
    calls.length = 0;
    expect(await readResource(run().scope, id, seen?.outputs ?? {})).toBeUndefined();
    expect(calls).toEqual(["read"]);
  });

  it("proves absence after an update, too", async () => {
    const { run, first, id, outputs } = await later(unlisted);
    const seen = await readResource(run().scope, id, outputs);
    const updated = await updateResource(
      run().scope,
      id,
      seen?.outputs ?? {},
      first.checked({ name: "one", colour: "red" }),
    );
    expect(updated).toMatchObject({ __state: { read: true } });
  });

  it("proves absence when a read of another resource of the kind has succeeded in this run", async () => {
    const { scope, id, outputs, things, add } = await later(unlisted);
    const other = add({ name: "other" });
    things.delete(id);
    await readResource(scope, other.id, outputs);
    expect(await readResource(scope, id, outputs)).toBeUndefined();
  });

  it("proves absence when a complete list does not contain the resource either", async () => {
    const { scope, id, outputs, things, calls } = await later((kind) => kind);
    things.clear();
    expect(await readResource(scope, id, outputs)).toBeUndefined();
    // No refresh has seen it yet, so it is looked for five times.
    expect(calls.filter((call) => call === "read")).toHaveLength(5);
  });

  it.each(["conventional", "documented"])(
    "is repeated while reads lag behind the creation, in the mode %s",
    async (api) => {
      let stale = 4;
      const probe = async () => (stale > 0 ? notFound() : undefined);
      const lagging = (kind: Kind<Inputs, Remote>): Kind<Inputs, Remote> => ({
        ...kind,
        read: (client, id) => (stale-- > 0 ? notFound() : kind.read(client, id)),
        list: (client, page) => (stale-- > 0 ? listOf(Promise.resolve([])) : listed(kind)(client, page)),
        documented: { list: true, probe },
      });
      const { scope, id, outputs } = await later(lagging, { "cloudservices:api": api });
      expect(await readResource(scope, id, outputs)).toMatchObject({ id, outputs: { name: "one" } });
      expect(stale).toBeLessThanOrEqual(0);
    },
  );

  it("is not repeated when an earlier refresh has found the resource in a list", async () => {
    const { run, id, outputs, things, calls } = await later((kind) => kind);
    const seen = await readResource(run().scope, id, outputs);
    expect(seen?.outputs).toMatchObject({ __state: { seen: true } });
    things.clear();
    calls.length = 0;
    expect(await readResource(run().scope, id, seen?.outputs ?? {})).toBeUndefined();
    expect(calls).toEqual(["list", "read"]);
  });

  it("is not repeated when the resource has normally expired", async () => {
    const ended = () => ({ expired: true });
    const { scope, id, outputs, things, calls } = await later((kind) => ({
      ...unlisted(kind),
      expired: ended,
    }));
    things.clear();
    expect(await readResource(scope, id, outputs)).toMatchObject({ outputs: { expired: true } });
    expect(calls).toEqual(["read"]);
  });

  it("does not prove absence when the list contains the resource", async () => {
    const { scope, id, outputs } = await later((kind) => ({ ...kind, read: notFound }));
    expect(await readResource(scope, id, outputs)).toMatchObject({ id, outputs: { name: "one" } });
  });

  it("does not prove absence when a documented request finds the resource", async () => {
    const probe = async () => undefined;
    const { scope, id, outputs } = await later((kind) => ({ ...blind(kind), documented: { probe } }));
    expect(await readResource(scope, id, outputs)).toMatchObject({ id });
  });

  it("proves absence when the parent does not exist", async () => {
    const { scope, id, outputs } = await later((kind) => ({
      ...blind(kind),
      isParentDeleted: async () => true,
    }));
    expect(await readResource(scope, id, outputs)).toBeUndefined();
  });
});

describe("a list without the resource, in the mode `documented`", () => {
  const documented = { "cloudservices:api": "documented" };
  const lagging = (probe: () => Promise<unknown>) => (kind: Kind<Inputs, Remote>) => ({
    ...kind,
    list: () => listOf(Promise.resolve([])),
    documented: { list: true as const, probe },
  });

  it("does not prove absence until a documented request confirms it", async () => {
    const there = await later(
      lagging(async () => undefined),
      documented,
    );
    expect(await readResource(there.scope, there.id, there.outputs)).toMatchObject({ id: there.id });
    const gone = await later(lagging(notFound), documented);
    expect(await readResource(gone.scope, gone.id, gone.outputs)).toBeUndefined();
    const unreadable = await later(lagging(noRoute), documented);
    expect(await errorOf(readResource(unreadable.scope, unreadable.id, unreadable.outputs))).toMatchObject({
      message: expect.stringContaining("[READ_FAILED]"),
    });
  });
});

describe("a deletion that returns RESOURCE_NOT_FOUND", () => {
  it("fails while a read still finds the resource", async () => {
    const { scope, id, outputs, things, calls } = await later((kind) => ({ ...kind, delete: notFound }));
    expect(await errorOf(deleteResource(scope, id, outputs))).toMatchObject({
      message: expect.stringMatching(/"not found" to its deletion and still has it \[DELETE_UNSUPPORTED\]/),
    });
    expect(calls).toEqual(["read"]);
    expect(things.size).toBe(1);
  });

  it("fails when nothing shows that the service has the routes", async () => {
    const { scope, id, outputs } = await later(blind);
    expect(await errorOf(deleteResource(scope, id, outputs))).toMatchObject({
      message: expect.stringMatching(/no read of it has ever succeeded.*\[DELETE_UNSUPPORTED\]/),
    });
    const abandoned = await later(blind, { "cloudservices:undeletable": "abandon" });
    await deleteResource(abandoned.scope, abandoned.id, abandoned.outputs);
    expect(abandoned.warnings).toEqual([expect.stringContaining("was left at the service")]);
  });

  it("succeeds with a warning when a new declaration would take over the remaining resource", async () => {
    const { scope, id, outputs, warnings } = await later((kind) => ({
      ...blind(kind),
      createIsIdempotent: true,
    }));
    await deleteResource(scope, id, outputs);
    expect(warnings).toEqual([
      expect.stringMatching(/treated as deleted: .*no read of it has ever succeeded/),
    ]);
  });

  it("succeeds with one more read when the resource is deleted", async () => {
    const { scope, id, outputs, things, calls } = await later((kind) => kind);
    const seen = await readResource(scope, id, outputs);
    things.clear();
    calls.length = 0;
    await deleteResource(scope, id, seen?.outputs ?? {});
    expect(calls).toEqual(["delete", "read"]);
  });

  it("succeeds when the service rejects other routes as missing", async () => {
    const { scope, id, outputs, things } = await later(({ list: _, ...kind }) => ({
      ...kind,
      read: () => noRoute(),
    }));
    things.clear();
    await deleteResource(scope, id, outputs);
  });

  it("waits for a deletion in progress", async () => {
    const waited: string[] = [];
    const { scope, id, outputs } = await later((kind) => ({
      ...kind,
      delete: notFound,
      readiness: {
        phase: () => "pending",
        status: () => "deleting",
        reason: () => undefined,
        wait: (api, which) => kind.read(api, which),
        waitUntilDeleted: async (_api, which) => void waited.push(which),
      },
    }));
    await deleteResource(scope, id, outputs);
    expect(waited).toEqual([id]);
  });
});

describe("cloudservices:undeletable abandon", () => {
  const abandon = { "cloudservices:undeletable": "abandon" };

  it.each([
    ["abandons after 405", { status: 405 }, true],
    ["abandons after 501", { status: 501 }, true],
    [
      "abandons after a 404 with an error code of the service",
      { status: 404, serviceCode: "ROUTE_NOT_FOUND" },
      true,
    ],
    ["keeps in the state after the 404 of a gateway", { status: 404 }, false],
  ])("%s", async (_what, facts, abandons) => {
    const { scope, id, outputs, warnings } = await later(
      (kind) => ({ ...kind, delete: () => noRoute(facts) }),
      abandon,
    );
    const removal = deleteResource(scope, id, outputs);
    if (abandons) {
      await removal;
      expect(warnings).toEqual([expect.stringContaining("was left at the service")]);
    } else {
      expect(await errorOf(removal)).toMatchObject({
        message: expect.stringContaining("[DELETE_FAILED]"),
      });
      expect(warnings).toEqual([]);
    }
  });
});
