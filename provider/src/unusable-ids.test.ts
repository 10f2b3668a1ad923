// @module-tag slow

import { describe, expect, it } from "vitest";
import { handlers } from "./dynamic.js";
import { checked, outcomeOf } from "./test-support/hooks.js";
import { HOSTILE, render, wanted } from "./test-support/invalid-responses.js";
import { CASES, KINDS } from "./test-support/kinds.js";
import { start, useScriptedService } from "./test-support/scripted-service.js";

useScriptedService();

describe("an unusable id", () => {
  const kinds = KINDS.filter((name) => CASES[name].idMember !== undefined);
  it.each(kinds)("of a %s is kept if a request can contain it", async (name) => {
    const { response, idMember = "" } = CASES[name];
    for (const raw of Object.values(HOSTILE)) {
      const shown = wanted(name, idMember, raw);
      if (shown === undefined) continue;
      const created = render(response, idMember, raw);
      await start(name, { created, read: created });
      const end = await outcomeOf(handlers[name].create(await checked(name, {})));
      expect({ id: end.id, message: end.message }).toMatchObject({ id: shown });
    }
  });

  it.each(kinds)("of a %s is rejected if it could lead to another path", async (name) => {
    const { response, idMember = "" } = CASES[name];
    const created = render(response, idMember, '"../databases/db_1"');
    await start(name, { created, read: created, listed: `[${created}]` });
    const end = await outcomeOf(handlers[name].create(await checked(name, {})));
    if (end.id === undefined) expect(end.message).toMatch(/\[CREATE_OUTCOME_UNKNOWN\]/);
    else expect(end.id).toMatch(/^unnamed:/);
  });

  it.each(["missing", "null", "number", "empty"])("is looked up in the list when it is %s", async (how) => {
    for (const name of ["Webhook"] as const) {
      const { response, idMember = "", id } = CASES[name];
      await start(name, {
        created: render(response, idMember, HOSTILE[how]),
        listed: `[${render(response)}]`,
      });
      const end = await outcomeOf(handlers[name].create(await checked(name, {})));
      if (end.id === undefined) expect(end.message).toMatch(/\[CREATE_OUTCOME_UNKNOWN\]/);
      else expect(end.id).toBe(id);
    }
  });
});
