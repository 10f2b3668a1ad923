// @module-tag slow

import { describe, expect, it } from "vitest";
import { handlers } from "./dynamic.js";
import { checked, outcomeOf, withoutSecretMarks } from "./test-support/hooks.js";
import { breaksTypes, brokenResponses, fewer, render, withoutId } from "./test-support/invalid-responses.js";
import { CASES, KINDS } from "./test-support/kinds.js";
import { start, useScriptedService, wasCreated } from "./test-support/scripted-service.js";

/*
 * An existing resource stays in the state despite invalid responses. The tests call the hooks like the engine's host.
 */

useScriptedService();

describe.each(KINDS)("a %s stays in the state under its id, despite an invalid response", (name) => {
  const { response, pending, change, id } = CASES[name];
  const handler = handlers[name];

  it("to its creation", async () => {
    for (const [what, path, raw] of withoutId(name)) {
      const created = render(response, path, raw);
      const everywhere = { created, read: created, listed: `[${created}]` };
      for (const responses of breaksTypes(raw) ? [{ created }, everywhere] : [everywhere]) {
        await start(name, responses);
        const end = await outcomeOf(handler.create(await checked(name, {})));
        expect({ what, id: end.id, message: end.message }).toMatchObject({ what, id });
      }
    }
  });

  it("to a poll", async () => {
    if (!pending) return;
    const created = render({ ...response, ...pending });
    for (const [what, path, raw] of fewer(withoutId(name))) {
      await start(name, { created, read: render(response, path, raw) });
      const end = await outcomeOf(handler.create(await checked(name, {})));
      expect({ what, id: end.id, message: end.message }).toMatchObject({ what, id });
    }
  });

  it("to a refresh, an update and a deletion", async () => {
    await start(name, {});
    const inputs = await checked(name, {});
    const { outs } = await handler.create(inputs);
    const olds = withoutSecretMarks(outs);
    for (const [what, path, raw] of fewer(brokenResponses(name))) {
      const broken = render(response, path, raw);
      await start(name, { read: broken, changed: broken });
      const read = await outcomeOf(handler.read(id, olds));
      if (read.message === "") expect({ what, id: read.id }).toEqual({ what, id });
      await start(name, { read: broken, changed: broken });
      const updated = await outcomeOf(handler.update(id, olds, await checked(name, change, inputs)));
      if (updated.message !== "") expect([undefined, id]).toContain(updated.id);
      if (!breaksTypes(raw)) continue;
      await start(name, { read: broken });
      await outcomeOf(handler.delete(id, olds).then(() => undefined));
    }
  });

  it("to its adoption", async () => {
    if (name === "BackupSchedule" || name === "VpsAction") return;
    for (const [what, path, raw] of fewer(brokenResponses(name))) {
      const broken = render(response, path, raw);
      for (const responses of breaksTypes(raw)
        ? [{ read: broken }, { changed: broken }]
        : [{ read: broken }]) {
        await start(name, responses);
        const end = await outcomeOf(handler.create(await checked(name, { ...change, adopt: id })));
        expect(wasCreated(), what).toBe(false);
        if (end.message === "" || end.id !== undefined) expect(end.id, what).toBe(id);
      }
    }
  });
});

describe("the metadata of a response", () => {
  it.each(["null", '"%"', '{"timestamp":1e300,"request_id":{}}', '{"timestamp":"soon"}', "[]"])(
    "does not lose the resource: %s",
    async (meta) => {
      for (const name of KINDS) {
        const { response, id } = CASES[name];
        for (const created of [render(response), render(response, "created_at", "7")]) {
          await start(name, { created, meta });
          const end = await outcomeOf(handlers[name].create(await checked(name, {})));
          expect({ name, id: end.id, message: end.message }).toMatchObject({ name, id });
        }
      }
    },
  );
});
