import type { Fault } from "cloudservices-sandbox";
import { CloudServices } from "cloudservices-sdk";
import { VpsInstance } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { killProviders, until } from "../support/processes.js";
import { openProject } from "../support/project.js";
import { failureOf } from "../support/stack.js";
import { openSandbox, openTestStack, quick } from "../support/test-stack.js";

const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
const larger = { plan: "vps-standard-2", allowStopping: true };
const patch = { method: "PATCH", route: "/vps/instances/:id" } as const;
const action = { method: "POST", route: "/vps/instances/:id/actions" } as const;

const isLarge = { fields: { plan: "vps-standard-2", status: "running" } };
const isSmall = { fields: { plan: "vps-micro-1", status: "running" } };
const isSmallAndOff = { fields: { plan: "vps-micro-1", status: "stopped" } };

describe("the resize of servers, of which the program has made one and adopted the other", () => {
  const names = ["made", "adopted"] as const;
  type Name = (typeof names)[number];
  const program = (more: object) => async () => {
    for (const name of names) new VpsInstance(name, { name, ...server, ...more });
  };
  const small = program({});
  const large = program(larger);

  async function open() {
    const sandbox = await openSandbox();
    const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
    const { id } = await client.vps.create({ name: "adopted", ...server });
    await client.vps.waitUntilReady(id, { interval: 20 });
    const first = async () => {
      new VpsInstance("made", { name: "made", ...server });
      new VpsInstance("adopted", { ...server, adopt: id });
    };
    const { stack } = await openTestStack(first, { sandbox, config: { "cloudservices:maxRetries": "0" } });
    await stack.up();
    const live = (name: Name) => sandbox.resources().find(({ fields }) => fields["name"] === name);
    /** Adds a fault to the requests of each server. */
    const strike = (fault: Fault & { readonly route: string }) => {
      for (const name of names)
        sandbox.faults.add({ ...fault, route: fault.route.replace(":id", live(name)?.id ?? "") });
    };
    /** Runs the program with the larger servers, and expects what the engine says of each. */
    const expectFailure = async (message: RegExp) => {
      const said = await failureOf(stack.up({ program: large, continueOnError: true }));
      const diagnostics = said.slice(said.indexOf("Diagnostics:")).split(/^ {2}(?=\S+ \(\w+\):$)/m);
      for (const name of names) {
        const ofServer = diagnostics.find((text) => text.includes(`VpsInstance (${name}):`)) ?? "";
        expect(ofServer, name).toContain(`VpsInstance "${name}" (${live(name)?.id})`);
        expect(ofServer, name).toMatch(message);
      }
    };
    const expectEach = (expected: object) => {
      for (const name of names) expect(live(name), name).toMatchObject(expected);
      expect(sandbox.resources()).toHaveLength(names.length);
    };
    const expectRunning = () =>
      until(() => names.every((name) => live(name)?.fields["status"] === "running"), "the start");
    return { sandbox, stack, live, strike, expectFailure, expectEach, expectRunning };
  }

  it.each(["before", "after"] as const)(
    "whose response is lost %s it is done leaves the server running, and the next run completes it",
    async (when) => {
      const { sandbox, stack, live, strike, expectFailure, expectEach, expectRunning } = await open();
      strike({ kind: "status", status: 500, when, count: 1, ...patch });
      await expectFailure(
        /may have been updated \[UPDATE_OUTCOME_UNKNOWN\].*It was powered off for the change and has been started again/s,
      );
      await expectRunning();
      await stack.refresh();
      expect((await stack.up()).summary).toEqual({ update: 2 });
      expectEach(isLarge);
      expect((await stack.preview()).summary).toEqual({ same: 2 });
      for (const name of names) {
        const stops = sandbox
          .journal()
          .filter(({ path }) => path.includes(live(name)?.id ?? "-"))
          .filter(({ requestBody }) => JSON.stringify(requestBody)?.includes('"stop"'));
        // What has been done already is not stopped for once more.
        expect(stops, name).toHaveLength(when === "before" ? 2 : 1);
      }
    },
  );

  it("that the service rejects leaves the server running, in every run, and says so", async () => {
    const { strike, expectFailure, expectEach, expectRunning } = await open();
    strike({ kind: "status", status: 400, when: "before", ...patch });
    for (const _run of [1, 2]) {
      await expectFailure(
        /was not updated \[UPDATE_FAILED\].*It was powered off for the change and has been started again/s,
      );
      await expectRunning();
      expectEach(isSmall);
    }
  });

  const refusal = { kind: "status", status: 403, when: "before" } as const;

  it("that fails with the start after it reports that the server is off, and the next run starts it", async () => {
    const { stack, strike, expectFailure, expectEach } = await open();
    strike({ ...refusal, ...patch, count: 1 });
    strike({ ...refusal, ...action, skip: 1, count: 1 });
    await expectFailure(
      /was not updated \[UPDATE_FAILED\].*It was powered off for the change and may still be off; the next `pulumi up` starts it/s,
    );
    expectEach(isSmallAndOff);
    await stack.refresh();
    expect((await stack.up()).summary).toEqual({ update: 2 });
    expectEach(isLarge);
    expect((await stack.preview()).summary).toEqual({ same: 2 });
  });

  it("that the program reverts after that still starts the server", async () => {
    const { stack, strike, expectFailure, expectEach } = await open();
    strike({ ...refusal, ...patch, count: 1 });
    strike({ ...refusal, ...action, skip: 1, count: 1 });
    await expectFailure(/may still be off/);
    expectEach(isSmallAndOff);
    await stack.up({ program: small });
    expectEach(isSmall);
    expect((await stack.preview()).summary).toEqual({ same: 2 });
  });

  it("after which the start fails is finished by the next run", async () => {
    const { stack, strike, expectFailure, expectEach } = await open();
    strike({ ...refusal, ...action, skip: 1, count: 1 });
    await expectFailure(/\[NOT_READY\].*403/s);
    expectEach({ fields: { plan: "vps-standard-2", status: "stopped" } });
    await stack.refresh();
    expect((await stack.up()).summary).toEqual({ update: 2 });
    expectEach(isLarge);
    expect((await stack.preview()).summary).toEqual({ same: 2 });
  });
});

it("the resize of a server that runs, although the state says otherwise, does not power it off without consent", async () => {
  const off = async () => void new VpsInstance("web", { ...server, powerState: "stopped" });
  const { sandbox, stack } = await openTestStack(off);
  await stack.up();
  sandbox.change(sandbox.resources()[0]?.id ?? "", { status: "running" });
  const bigger = async () => void new VpsInstance("web", { ...server, plan: "vps-standard-2" });
  expect(await failureOf(stack.up({ program: bigger }))).toMatch(
    /\[UPDATE_FAILED\].*it is running, although it is stopped in the state.*allowStopping: true/s,
  );
  expect(sandbox.resources()).toMatchObject([isSmall]);
  expect(await failureOf(stack.up())).toMatch(/allowStopping: true/);
  await stack.up({ program: async () => void new VpsInstance("web", { ...server }) });
  expect((await stack.preview()).summary).toEqual({ same: 1 });
});

describe("the resize of a server by the run that adopts it", () => {
  it("leaves the server running when the service rejects it, and the next run resizes it", async () => {
    const sandbox = await openSandbox();
    const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
    const { id } = await client.vps.create({ name: "web", ...server });
    await client.vps.waitUntilReady(id, { interval: 20 });
    const refusal = { kind: "status", status: 403, when: "before" } as const;
    sandbox.faults.add({ ...refusal, ...patch, count: 1 });
    sandbox.faults.add({ ...refusal, ...action, skip: 1, count: 1 });
    const adopting = async () =>
      void new VpsInstance("web", { ...server, plan: "vps-standard-2", allowStopping: true, adopt: id });
    const { stack } = await openTestStack(adopting, { sandbox });
    expect(await failureOf(stack.up())).toMatch(
      /\[ADOPTED_NOT_UPDATED\].*may still be off; the next `pulumi up` starts it/s,
    );
    expect(sandbox.resources()).toMatchObject([isSmallAndOff]);
    await stack.refresh();
    await stack.up();
    expect(sandbox.resources()).toMatchObject([isLarge]);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });
});

describe("a provider killed while a server is off for its resize", () => {
  it.each(["before", "after"] as const)(
    "does not prevent the next run from starting it: killed %s the resize",
    async (when) => {
      const sandbox = await openSandbox();
      const program = (plan: string) =>
        'const { VpsInstance } = require("pulumi-cloudservices");\n' +
        `new VpsInstance("web", ${JSON.stringify({ ...server, plan, allowStopping: true })});\n`;
      const project = await openProject({
        files: { "index.js": program("vps-micro-1") },
        sandbox,
        config: quick,
      });
      expect(await project.pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
      sandbox.faults.add({ kind: "slow", ms: 60_000, when, count: 1, ...patch });
      project.write({ "index.js": program("vps-standard-2") });
      const up = project.pulumi(["up", "--yes", "--skip-preview"]);
      const status = () => sandbox.resources()[0]?.fields["status"];
      const plan = () => sandbox.resources()[0]?.fields["plan"];
      await until(
        () =>
          sandbox.faults.list()[0]?.struck === 1 &&
          (when === "before" || (plan() === "vps-standard-2" && status() === "stopped")),
        "the resize",
      );
      killProviders(project.folder);
      expect((await up).code).not.toBe(0);
      expect(status()).toBe("stopped");
      expect(await project.pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
      expect(sandbox.resources()).toMatchObject([isLarge]);
      expect(await project.pulumi(["preview", "--expect-no-changes"])).toMatchObject({ code: 0 });
    },
  );
});
