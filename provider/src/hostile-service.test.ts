// @module-tag slow

import { describe, expect, it } from "vitest";
import { handlers } from "./dynamic.js";
import type { Properties } from "./kernel/definition/properties.js";
import { checked, type HookOutcome, outcomeOf, withoutSecretMarks } from "./test-support/hooks.js";
import { HOSTILE_RESPONSES, type Respond } from "./test-support/hostile-responses.js";
import {
  begin,
  hostileService,
  memory,
  type Struck,
  useHostileService,
} from "./test-support/hostile-service.js";
import { CASES, KINDS, type KindName } from "./test-support/kinds.js";

/*
 * Each hook gets hostile responses, one kind of request at a time.
 */

useHostileService();

/** How much more memory the whole process, this service included, may need at any moment. */
const MOST = 250 * 1024 * 1024;

/** A resource that exists, in the state. */
async function existing(name: KindName): Promise<{ inputs: Properties; olds: Properties }> {
  hostileService.hostile = undefined;
  await begin(name);
  const inputs = await checked(name, {});
  const { outs } = await handlers[name].create(inputs);
  return { inputs, olds: withoutSecretMarks(outs) };
}

type Hook = (name: KindName) => Promise<HookOutcome>;

/** Each hook, and the requests that get a hostile response. */
const HOOKS: Readonly<Record<string, { struck: readonly Struck[]; creates?: true; call: Hook }>> = {
  create: {
    struck: ["POST", "PUT"],
    creates: true,
    call: async (name) => outcomeOf(handlers[name].create(await checked(name, {}))),
  },
  "create, which lists first": {
    struck: ["GET list"],
    call: async (name) => outcomeOf(handlers[name].create(await checked(name, {}))),
  },
  "create, which waits": {
    struck: ["GET one"],
    creates: true,
    async call(name) {
      hostileService.created = JSON.stringify({ ...CASES[name].response, ...CASES[name].pending });
      const customTimeouts = { create: "1s" };
      return outcomeOf(handlers[name].create(await checked(name, { customTimeouts })));
    },
  },
  "create, which adopts": {
    struck: ["GET one"],
    call: async (name) => outcomeOf(handlers[name].create(await checked(name, { adopt: CASES[name].id }))),
  },
  read: {
    struck: ["GET one"],
    async call(name) {
      const { olds } = await existingBehind(name);
      return outcomeOf(handlers[name].read(CASES[name].id, olds));
    },
  },
  update: {
    struck: ["PATCH", "PUT"],
    async call(name) {
      const { inputs, olds } = await existingBehind(name);
      const news = await checked(name, CASES[name].change, inputs);
      return outcomeOf(handlers[name].update(CASES[name].id, olds, news));
    },
  },
  delete: {
    struck: ["DELETE"],
    async call(name) {
      const { olds } = await existingBehind(name);
      return outcomeOf(handlers[name].delete(CASES[name].id, olds).then(() => undefined));
    },
  },
};

/** Slow hooks distribute the responses among the kinds; every kind gets those that show the id. */
const isSlow = (which: string): boolean => /^(create|create, which waits|delete)$/.test(which);
const hostileTo = (name: KindName, which: string) =>
  Object.entries(HOSTILE_RESPONSES).filter(
    ([, { showsId }], at) =>
      !isSlow(which) || (which === "create" && showsId) || (at + KINDS.indexOf(name)) % 3 === 0,
  );

/** Does the same with correct responses, and then restores the hostile one. */
async function existingBehind(name: KindName) {
  const waiting = hostileService.hostile;
  const found = await existing(name);
  await begin(name);
  hostileService.hostile = waiting;
  return found;
}

describe.each(KINDS)("a hostile service causes bounded memory use and one clear error for a %s", (name) => {
  const { id, idMember, pending } = CASES[name];

  it.each(Object.keys(HOOKS))("%s", { timeout: 120_000 }, async (which) => {
    const { struck, creates, call } = HOOKS[which] ?? {};
    if (!struck || !call) throw new Error(which);
    const waits = which === "create, which waits";
    if (waits && !pending) return;
    if (which.endsWith("adopts") && (name === "BackupSchedule" || name === "VpsAction")) return;
    for (const each of struck) {
      for (const [what, { respond, showsId, said }] of hostileTo(name, which)) {
        await begin(name);
        let hits = 0;
        const counted: Respond = (...given) => {
          hits += 1;
          respond(...given);
        };
        hostileService.hostile = { struck: each, respond: counted };
        hostileService.most = memory();
        const before = hostileService.most;
        const { id: kept, message } = await call(name);
        const about = { what, each, message };
        expect({ ...about, more: Math.max(hostileService.most, memory()) - before < MOST }).toEqual({
          ...about,
          more: true,
        });
        expect({ ...about, astray: hostileService.astray }).toEqual({ ...about, astray: [] });
        expect(message.length, message).toBeLessThan(2_000);
        if (hits === 0) continue;
        // A lost response is no error if the resource is found later, nor is a list that is not needed.
        if (message !== "" && !waits) expect(message).toMatch(said);
        if (which === "read" || which === "delete")
          expect({ ...about, kept }).not.toMatchObject({ message: "" });
        if (creates && (waits || (showsId && idMember)))
          expect({ ...about, kept }).toEqual({ ...about, kept: id });
      }
    }
  });
});
