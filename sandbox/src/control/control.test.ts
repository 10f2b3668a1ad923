import { expect, test } from "vitest";
import { aDatabase, apiClientFor, aServer, aWebhook, eventually, sandboxFor } from "../../test/api-client.js";

test("the journal has every request to the API, by tenant, with secrets masked, and none of the control's", async () => {
  const sandbox = await sandboxFor();
  await apiClientFor(sandbox)("POST", "/webhooks?x=1", aWebhook);
  await apiClientFor(sandbox, "sandbox_other")("GET", "/databases?limit=5");
  await apiClientFor(sandbox, "nobody")("GET", "/nowhere");
  await fetch(`${sandbox.url}/_sandbox/resources`);
  expect(sandbox.journal()).toEqual([
    {
      requestId: expect.stringMatching(/^req_/),
      time: expect.stringMatching(/Z$/),
      method: "POST",
      path: "/webhooks",
      query: { x: "1" },
      tenant: "local",
      operation: "createWebhook",
      status: 400,
      durationMs: expect.any(Number),
      requestBody: { ...aWebhook, secret: "[secret]" },
      responseBody: expect.objectContaining({ status: "error" }),
    },
    expect.objectContaining({
      tenant: "other",
      operation: "listDatabases",
      query: { limit: "5" },
      status: 200,
    }),
    expect.objectContaining({ path: "/nowhere", status: 401 }),
  ]);
  expect(sandbox.journal({ tenant: "other" })).toHaveLength(1);
  const overHttp = await (await fetch(`${sandbox.url}/_sandbox/journal?tenant=other`)).json();
  expect(overHttp).toEqual(sandbox.journal({ tenant: "other" }));
  sandbox.clearJournal("other");
  expect(sandbox.journal()).toHaveLength(2);
});

test("control lists its operations over HTTP and rejects invalid input", async () => {
  const sandbox = await sandboxFor();
  const routes = await (await fetch(`${sandbox.url}/_sandbox/`)).json();
  expect(routes).toContain("POST /_sandbox/snapshots/:id/restore");
  expect(routes).toContain("GET /_sandbox/journal");
  const refused = await fetch(`${sandbox.url}/_sandbox/journal?limit=-1`);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("limit");
});

test("connection addresses and passwords never reach the journal", async () => {
  const sandbox = await sandboxFor({ provisioning: { databaseMs: 0 } });
  const { data } = await apiClientFor(sandbox)("POST", "/databases", {
    ...aDatabase,
    enable_connection_pool: true,
  });
  const { password } = new URL(Object(data).connection_uri);
  expect(JSON.stringify(sandbox.journal())).not.toContain(password);
});

test("a reset empties one tenant, or everything and every setting", async () => {
  const sandbox = await sandboxFor();
  const [mine, theirs] = [apiClientFor(sandbox), apiClientFor(sandbox, "sandbox_other")];
  for (const call of [mine, theirs]) {
    await call("POST", "/databases", aDatabase);
    await call("POST", "/vps/instances", aServer);
    await call("POST", "/shortener/links", { url: "https://example.com" });
  }
  await sandbox.reset("other");
  expect(sandbox.resources("other")).toEqual([]);
  expect(sandbox.journal({ tenant: "other" })).toEqual([]);
  expect(sandbox.resources("local")).toHaveLength(3);
  sandbox.faults.add({ kind: "drop", when: "before" });
  sandbox.clock.freeze();
  await fetch(`${sandbox.url}/_sandbox/reset`, { method: "POST" });
  expect([sandbox.resources(), sandbox.faults.list(), sandbox.clock.frozen]).toEqual([[], [], false]);
});

test("drift: any field can change behind the API's back, and a status set so is final", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { id } = await call("POST", "/databases", aDatabase);
  sandbox.change(id, { plan: "db-scale-8", status: "haunted" });
  await sandbox.clock.advance(60_000);
  expect((await call("GET", `/databases/${id}`)).data).toMatchObject({ status: "haunted" });
  expect(sandbox.resources()).toMatchObject([
    { kind: "Database", id, tenant: "local", fields: { plan: "db-scale-8" } },
  ]);
  expect(() => sandbox.change(id, { tenant: "other" })).toThrow(/"tenant" is not a field/);
  expect(() => sandbox.change(id, { colour: "red" })).toThrow(/"colour" is not a field/);
  expect(() => sandbox.change("db_none", {})).toThrow(/no resource/);
  await sandbox.remove(id);
  expect((await call("GET", `/databases/${id}`)).error?.code).toBe("RESOURCE_NOT_FOUND");
});

test("drift over HTTP", async () => {
  const sandbox = await sandboxFor();
  const { id } = await apiClientFor(sandbox)("POST", "/vps/instances", aServer);
  const at = `${sandbox.url}/_sandbox/resources/${id}`;
  const patch = (body: object) =>
    fetch(at, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await patch({ name: "drifted" })).status).toBe(200);
  expect(sandbox.resources()[0]?.fields).toMatchObject({ name: "drifted" });
  expect((await patch({ name: 7 })).status).toBe(400);
  expect((await fetch(at, { method: "DELETE" })).status).toBe(200);
  expect((await fetch(at, { method: "DELETE" })).status).toBe(404);
});

test("progressions: after so many reads, stuck, failing, and only for the next ones", async () => {
  const sandbox = await sandboxFor({ provisioning: { databaseMs: 0 } });
  const call = apiClientFor(sandbox);
  const statuses = async (reads: number) => {
    const { id } = await call("POST", "/databases", aDatabase);
    const seen: string[] = [];
    for (let read = 0; read < reads; read++) {
      const data = Object((await call("GET", `/databases/${id}`)).data);
      seen.push(data.status_reason ? `${data.status}: ${data.status_reason}` : data.status);
    }
    return seen;
  };
  sandbox.progress("database", { mode: "reads", reads: 2 }, { next: 1 });
  sandbox.progress("database", { mode: "fail", reason: "no room" }, { next: 1 });
  sandbox.progress("database", { mode: "stuck" }, { next: 1, tenant: "other" });
  expect(await statuses(3)).toEqual(["provisioning", "provisioning", "ready"]);
  expect(await statuses(1)).toEqual(["failed: no room"]);
  expect(await statuses(1)).toEqual(["ready"]);
  sandbox.progress("database", { mode: "stuck" });
  await sandbox.clock.advance(1e9);
  expect(await statuses(2)).toEqual(["provisioning", "provisioning"]);
});

test("progressions of servers, over HTTP", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const put = (body: object) =>
    fetch(`${sandbox.url}/_sandbox/progression`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await put({ kind: "vps", progression: { mode: "fail", reason: "no host", ms: 0 } })).status).toBe(
    200,
  );
  expect((await put({ kind: "vps", progression: { mode: "sometimes" } })).status).toBe(400);
  const { id } = await call("POST", "/vps/instances", aServer);
  const failed = (await call("GET", `/vps/instances/${id}`)).data;
  expect(failed).toMatchObject({ status: "failed", status_reason: "no host" });
  expect(failed).not.toHaveProperty("ipv4");
});

test("the clock over HTTP: frozen, moved, running again", async () => {
  const sandbox = await sandboxFor();
  const post = async (body: object) =>
    (
      await fetch(`${sandbox.url}/_sandbox/clock`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      })
    ).json();
  expect(await post({ do: "freeze", at: "2031-05-01T00:00:00Z" })).toEqual({
    now: "2031-05-01T00:00:00.000Z",
    frozen: true,
  });
  expect(await post({ do: "advance", ms: 1000 })).toEqual({ now: "2031-05-01T00:00:01.000Z", frozen: true });
  expect(await post({ do: "resume" })).toMatchObject({ frozen: false });
  await expect(sandbox.clock.advance(-1)).rejects.toThrow(RangeError);
  sandbox.clock.freeze(new Date(8.64e15));
  expect(await post({ do: "advance", ms: 1000 })).toMatchObject({
    error: { code: "VALIDATION_ERROR", message: "ms: no date is 1000 ms later than now." },
  });
});

test("every response has the virtual time in its Date header, even an error", async () => {
  const sandbox = await sandboxFor();
  sandbox.clock.freeze(new Date("2031-05-01T00:00:00.900Z"));
  for (const path of ["/vps/instances", "/vps/instances/vps_none"]) {
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    const answer = await fetch(sandbox.baseUrl + path, { headers });
    expect(answer.headers.get("date"), path).toBe("Thu, 01 May 2031 00:00:00 GMT");
  }
});

test("what is due happens by itself when the clock runs", async () => {
  const sandbox = await sandboxFor({ provisioning: { vpsMs: 5 } });
  await apiClientFor(sandbox)("POST", "/vps/instances", aServer);
  await eventually(() => sandbox.resources()[0]?.fields["status"]).toBe("running");
});

test("two moves of the clock at the same time add up", async () => {
  const sandbox = await sandboxFor({ provisioning: { databaseMs: 1000 } });
  sandbox.clock.freeze(new Date("2030-01-01T00:00:00Z"));
  await apiClientFor(sandbox)("POST", "/databases", aDatabase);
  await Promise.all([sandbox.clock.advance(1_500), sandbox.clock.advance(500)]);
  expect(sandbox.clock.now()).toBe(Date.parse("2030-01-01T00:00:02Z"));
  await expect(Promise.all([sandbox.clock.advance(-1), sandbox.clock.advance(500)])).rejects.toThrow(
    RangeError,
  );
  await sandbox.clock.advance(0);
  expect(sandbox.clock.now()).toBe(Date.parse("2030-01-01T00:00:02.500Z"));
});

test("a time that is none is refused, and the clock goes on", async () => {
  const sandbox = await sandboxFor();
  expect(() => sandbox.clock.freeze(new Date("garbage"))).toThrow(RangeError);
  await expect(sandbox.clock.advance(Number.NaN)).rejects.toThrow(RangeError);
  await expect(sandbox.clock.advance(8.64e15)).rejects.toThrow(RangeError);
  expect(sandbox.clock.frozen).toBe(false);
  expect((await apiClientFor(sandbox)("GET", "/databases")).status).toBe(200);
});

test("secrets in the query of a refused request never reach the journal", async () => {
  const sandbox = await sandboxFor();
  const reply = await apiClientFor(sandbox)("GET", "/shortener/links?passcode=hush&limit=5");
  expect(reply.status).toBe(400);
  expect(sandbox.journal()).toMatchObject([{ query: { passcode: "[secret]", limit: "5" } }]);
});

test("a reset of everything brings back the rate limit of the start", async () => {
  const sandbox = await sandboxFor({ rateLimit: { requests: 2, perMs: 60_000 } });
  sandbox.clock.freeze();
  const call = apiClientFor(sandbox);
  sandbox.limitRate({ requests: 1, perMs: 3_600_000 });
  const statuses = async () => {
    const list: number[] = [];
    for (let sent = 0; sent < 3; sent++) list.push((await call("GET", "/databases")).status);
    return list;
  };
  expect(await statuses()).toEqual([200, 429, 429]);
  await sandbox.reset();
  sandbox.clock.freeze();
  expect(await statuses()).toEqual([200, 200, 429]);
});
