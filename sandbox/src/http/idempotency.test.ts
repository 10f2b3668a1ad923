import { expect, test } from "vitest";
import { aDatabase, parseReply, sandboxFor } from "../../test/api-client.js";
import type { Sandbox } from "../sandbox.js";

async function create(
  sandbox: Sandbox,
  key: string,
  body: object = aDatabase,
  apiKey: string = sandbox.apiKey,
) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    "idempotency-key": key,
  };
  return parseReply(
    await fetch(`${sandbox.baseUrl}/databases`, { method: "POST", headers, body: JSON.stringify(body) }),
  );
}

test("unless asked to, the sandbox honours no Idempotency-Key, as the specification knows none", async () => {
  const sandbox = await sandboxFor();
  expect((await create(sandbox, "a")).id).not.toBe((await create(sandbox, "a")).id);
});

test("a creation that is sent again with its key is made once, even at the same time or after a lost answer", async () => {
  const sandbox = await sandboxFor({ idempotencyKeys: true });
  const ids = await Promise.all([create(sandbox, "a"), create(sandbox, "a"), create(sandbox, "b")]);
  expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
  expect(await create(sandbox, "a", { ...aDatabase, name: "other" })).toMatchObject({ status: 409 });
  sandbox.faults.add({ kind: "drop", when: "after", count: 1 });
  await expect(create(sandbox, "c")).rejects.toThrow();
  expect((await create(sandbox, "c")).status).toBe(201);
  expect(sandbox.resources()).toHaveLength(3);
});

test("what was refused can be sent again", async () => {
  const sandbox = await sandboxFor({ idempotencyKeys: true });
  sandbox.faults.add({ kind: "status", status: 500, when: "before", count: 1 });
  expect((await create(sandbox, "a")).status).toBe(500);
  expect((await create(sandbox, "a", { ...aDatabase, plan: "none" })).status).toBe(400);
  expect((await create(sandbox, "a")).status).toBe(201);
});

test("what a reset or a snapshot took away is made anew, and another tenant's keys are kept", async () => {
  const sandbox = await sandboxFor({ idempotencyKeys: true });
  await sandbox.snapshots.take("empty");
  const theirs = () => create(sandbox, "a", aDatabase, "sandbox_other");
  const [first, other] = [await create(sandbox, "a"), await theirs()];
  await sandbox.reset("local");
  const second = await create(sandbox, "a");
  expect(second).toMatchObject({ status: 201 });
  expect(second.id).not.toBe(first.id);
  expect((await theirs()).id).toBe(other.id);
  await sandbox.snapshots.restore("empty");
  const { id } = await create(sandbox, "a");
  expect(sandbox.resources().map((each) => each.id)).toEqual([id]);
  await sandbox.reset();
  await create(sandbox, "a");
  expect(sandbox.resources()).toHaveLength(1);
});
