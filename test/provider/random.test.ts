import { Database, Inbox, Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { expect, it } from "vitest";
import { randomFrom } from "../../sandbox/test/random.js";
import { isNative } from "../support/form.js";
import { modes } from "../support/modes.js";
import { type Choices, type RandomKind, RandomProgram } from "../support/random-program.js";
import { declaring, openTestStack } from "../support/test-stack.js";

/*
 * Programs that grow, change and shrink at random. After each run, the service holds what the program says and
 * nothing else, the state knows exactly that, the next preview is empty, and the run did what its preview said.
 */

const CHANGES = 10;

/** The native form repeats a third of the rounds; `both-forms.test.ts` compares the plans of the two. */
const roundsOf = (count: number): number => (isNative ? Math.ceil(count / 3) : count);

const declare: Readonly<Record<RandomKind, ReturnType<typeof declaring>>> = {
  Link: declaring(Link),
  Database: declaring(Database),
  VpsInstance: declaring(VpsInstance),
  Inbox: declaring(Inbox),
  Webhook: declaring(Webhook),
};

/**
 * In the mode `documented`, what the program gives up stays at the service, a link cannot be changed, and a server
 * cannot be created stopped.
 */
const worlds = [
  { ...modes[0], rounds: roundsOf(20), frozen: [] as RandomKind[], choices: {} as Choices, leaves: false },
  {
    ...modes[1],
    mode: { ...modes[1].mode, "cloudservices:undeletable": "abandon" },
    rounds: roundsOf(5),
    frozen: ["Link"] as RandomKind[],
    choices: { powerState: [undefined, "running"] } as Choices,
    leaves: true,
  },
];

it.each(worlds)(
  "random program changes are previewed and applied, and leave no leftovers, in the mode $api",
  async ({ rounds, frozen, choices, leaves, service, mode }) => {
    const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
    console.info(`random programs: SEED=${seed}`);
    const random = randomFrom(seed);
    const program = new RandomProgram(random, { frozen, servers: choices });
    const { sandbox, stack } = await openTestStack(
      async () => {
        for (const { kind, name, inputs, formerNames } of program.resources)
          declare[kind](name, inputs, { aliases: formerNames.map((former) => ({ name: former })) });
      },
      { service, config: mode },
    );
    for (const what of leaves ? (["vps", "vpsAction"] as const) : [])
      sandbox.progress(what, { mode: "time", ms: 0 });

    for (let round = 1; round <= rounds; round++) {
      for (let number = 0; number < CHANGES; number++) program.change();
      const where = `SEED=${seed}, round ${round}: ${JSON.stringify(program.resources)}`;
      const announced = await stack.preview();
      const done = await stack.up();
      expect(done.summary, where).toEqual(announced.summary);

      const alive = sandbox.resources();
      const known = (await stack.export()).resources;
      const ids = known.map(({ id }) => id).sort();
      expect(
        alive
          .map(({ id }) => id)
          .filter((id) => !leaves || ids.includes(id))
          .sort(),
        where,
      ).toEqual(ids);
      expect(known.map(({ urn }) => urn.split("::").at(-1)).sort(), where).toEqual(
        program.resources.map(({ name }) => name).sort(),
      );
      expect(Object.keys((await stack.preview()).summary), where).toEqual(
        program.resources.length > 0 ? ["same"] : [],
      );
    }
    await stack.destroy();
    expect((await stack.export()).resources).toEqual([]);
    if (!leaves) expect(sandbox.resources()).toEqual([]);
  },
  900_000,
);
