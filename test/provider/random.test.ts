import { Database, Inbox, Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { expect, it } from "vitest";
import { declaring, openCloud } from "../support/cloud.js";
import { modes } from "../support/modes.js";

/*
 * Programs that grow, change and shrink at random. After each run, the service holds what the program says and
 * nothing else, the state knows exactly that, the next preview is empty, and the run did what its preview said.
 */

const CHANGES = 10;

/** Small and good enough: mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Kind = "Link" | "Database" | "VpsInstance" | "Inbox" | "Webhook";

interface Declared {
  readonly kind: Kind;
  readonly name: string;
  /** The names that it had before; the engine is told of them as aliases. */
  readonly formerNames: readonly string[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

type Choices = Readonly<Record<string, readonly unknown[]>>;

interface Randomised {
  readonly choices: Choices;
  declare(
    name: string,
    inputs: Readonly<Record<string, unknown>>,
    options: { aliases: { name: string }[] },
  ): void;
}

const regions = ["eu-central-1", "us-east-1"];

/** What each input may be; `undefined` leaves it out. Plans and versions only go up within a life, so they stay fixed. */
const kinds: Record<Kind, Randomised> = {
  Link: {
    choices: {
      url: ["https://example.com/a", "https://example.com/b"],
      title: [undefined, "One", "Two"],
      expiresAt: [undefined, "2030-01-01T00:00:00Z", "2030-01-01T01:00:00+01:00"],
      passcode: [undefined, "a-passcode"],
      utmSource: [undefined, "mail"],
    },
    declare: declaring(Link),
  },
  Database: {
    choices: {
      engine: ["postgresql"],
      version: ["16"],
      plan: ["db-starter-1"],
      region: regions,
      enableConnectionPool: [undefined, false, true],
    },
    declare: declaring(Database),
  },
  VpsInstance: {
    choices: {
      plan: ["vps-micro-1"],
      region: regions,
      image: ["debian-12", "alpine-3.20"],
      sshKeys: [undefined, ["ssh_key_1"], ["ssh_key_1", "ssh_key_2"], ["ssh_key_2", "ssh_key_1"]],
      backupsEnabled: [undefined, false, true],
      powerState: [undefined, "running", "stopped"],
    },
    declare: declaring(VpsInstance),
  },
  Inbox: {
    choices: { ttlMinutes: [undefined, 60, 90], webhookUrl: [undefined, "https://example.com/hook"] },
    declare: declaring(Inbox),
  },
  Webhook: {
    choices: {
      url: ["https://example.com/one", "https://example.com/two"],
      events: [
        ["database.backup.failed"],
        ["database.backup.failed", "vps.snapshot.completed"],
        ["vps.snapshot.completed", "database.backup.failed"],
      ],
      secret: ["a-signing-secret", "another-signing-secret"],
    },
    // Of its own, or one that takes another's place in the program would be taken for its duplicate.
    declare: (name, inputs, options) => {
      const url = `${inputs["url"]}?of=${options.aliases.at(-1)?.name ?? name}`;
      declaring(Webhook)(name, { ...inputs, url }, options);
    },
  },
};

/**
 * In the mode `documented`, what the program gives up stays at the service, a link cannot be changed, and a server
 * cannot be created stopped.
 */
const worlds = [
  { ...modes[0], rounds: 20, frozen: [] as Kind[], choices: {} as Choices, leaves: false },
  {
    ...modes[1],
    mode: { ...modes[1].mode, "cloudservices:undeletable": "abandon" },
    rounds: 5,
    frozen: ["Link"] as Kind[],
    choices: { powerState: [undefined, "running"] } as Choices,
    leaves: true,
  },
];

it.each(worlds)(
  "random changes of a program are announced, carried out, and leave nothing over, in the mode $api",
  async ({ rounds, frozen, choices, leaves, service, mode }) => {
    const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
    console.info(`random programs: SEED=${seed}`);
    const random = randomFrom(seed);
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    const names = Object.keys(kinds).filter((name): name is keyof typeof kinds => name in kinds);

    let program: readonly Declared[] = [];
    let counter = 0;
    const { sandbox, stack } = await openCloud(
      async () => {
        for (const { kind, name, inputs, formerNames } of program) {
          kinds[kind].declare(name, inputs, { aliases: formerNames.map((former) => ({ name: former })) });
        }
      },
      { service, config: mode },
    );
    for (const what of leaves ? (["vps", "vpsAction"] as const) : [])
      sandbox.progress(what, { mode: "time", ms: 0 });
    const choicesOf = (kind: Kind) =>
      Object.entries({ ...kinds[kind].choices, ...(kind === "VpsInstance" && choices) });

    function change(): void {
      const what = random();
      const victim = pick(program);
      if (victim === undefined || (what < 0.35 && program.length < 12)) {
        const kind = pick(names) ?? "Link";
        const inputs = Object.fromEntries(choicesOf(kind).map(([input, values]) => [input, pick(values)]));
        program = [...program, { kind, name: `r${counter++}`, formerNames: [], inputs }];
      } else if (what < 0.5) {
        program = program.filter((one) => one !== victim);
      } else if (what < 0.6) {
        const renamed = {
          ...victim,
          name: `r${counter++}`,
          formerNames: [victim.name, ...victim.formerNames],
        };
        program = program.map((one) => (one === victim ? renamed : one));
      } else if (!frozen.includes(victim.kind)) {
        const [input, values] = pick(choicesOf(victim.kind)) ?? ["", []];
        const changed = { ...victim, inputs: { ...victim.inputs, [input]: pick(values) } };
        program = program.map((one) => (one === victim ? changed : one));
      }
    }

    for (let round = 1; round <= rounds; round++) {
      for (let number = 0; number < CHANGES; number++) change();
      const where = `SEED=${seed}, round ${round}: ${JSON.stringify(program)}`;
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
        program.map(({ name }) => name).sort(),
      );
      expect(Object.keys((await stack.preview()).summary), where).toEqual(program.length > 0 ? ["same"] : []);
    }
    await stack.destroy();
    expect((await stack.export()).resources).toEqual([]);
    if (!leaves) expect(sandbox.resources()).toEqual([]);
  },
  900_000,
);
