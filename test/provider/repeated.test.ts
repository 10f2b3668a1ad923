import { VpsInstance, Webhook } from "pulumi-cloudservices";
import { expect, it } from "vitest";
import { openTestStack } from "../support/test-stack.js";

const backups = "database.backup.completed";
const snapshots = "vps.snapshot.completed";

const program = (events: string[], sshKeys: string[]) => async () => {
  new Webhook("hook", { url: "https://example.com/hooks", events, secret: "a-shared-secret" });
  const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
  new VpsInstance("web", { ...server, sshKeys });
};

it("a repeated member of a set is sent once, and is no change", async () => {
  const { sandbox, stack } = await openTestStack(program([backups, backups], ["ssh_key_1", "ssh_key_1"]));
  const fields = (kind: string) => sandbox.resources().find((resource) => resource.kind === kind)?.fields;
  expect((await stack.up()).summary).toEqual({ create: 2 });
  expect(fields("Webhook")).toMatchObject({ events: [backups] });
  expect(fields("VpsInstance")).toMatchObject({ ssh_keys: ["ssh_key_1"] });
  await stack.refresh();
  expect((await stack.preview()).summary).toEqual({ same: 2 });

  const more = program([snapshots, backups, snapshots], ["ssh_key_1"]);
  expect((await stack.up({ program: more })).summary).toEqual({ update: 1, same: 1 });
  expect(fields("Webhook")).toMatchObject({ events: [snapshots, backups] });
  expect((await stack.up({ program: program([backups, snapshots], ["ssh_key_1"]) })).summary).toEqual({
    same: 2,
  });
});
