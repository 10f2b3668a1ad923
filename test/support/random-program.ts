/*
 * Programs that grow, change and shrink at random, as data: the test that runs them declares the resources.
 */

export type RandomKind = "Link" | "Database" | "VpsInstance" | "Inbox" | "Webhook";

export interface RandomResource {
  readonly kind: RandomKind;
  readonly name: string;
  /** Its former names, which become aliases. */
  readonly formerNames: readonly string[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

export type Choices = Readonly<Record<string, readonly unknown[]>>;

const regions = ["eu-central-1", "us-east-1"];

/** The choices for each input; `undefined` omits it. Plans and versions can only increase, so they stay fixed. */
const kinds: Readonly<Record<RandomKind, Choices>> = {
  Link: {
    url: ["https://example.com/a", "https://example.com/b"],
    title: [undefined, "One", "Two"],
    expiresAt: [undefined, "2030-01-01T00:00:00Z", "2030-01-01T01:00:00+01:00"],
    passcode: [undefined, "a-passcode"],
    utmSource: [undefined, "mail"],
  },
  Database: {
    engine: ["postgresql"],
    version: ["16"],
    plan: ["db-starter-1"],
    region: regions,
    enableConnectionPool: [undefined, false, true],
  },
  VpsInstance: {
    plan: ["vps-micro-1"],
    region: regions,
    image: ["debian-12", "alpine-3.20"],
    sshKeys: [undefined, ["ssh_key_1"], ["ssh_key_1", "ssh_key_2"], ["ssh_key_2", "ssh_key_1"]],
    backupsEnabled: [undefined, false, true],
    powerState: [undefined, "running", "stopped"],
  },
  Inbox: { ttlMinutes: [undefined, 60, 90], webhookUrl: [undefined, "https://example.com/hook"] },
  Webhook: {
    url: ["https://example.com/one", "https://example.com/two"],
    events: [
      ["database.backup.failed"],
      ["database.backup.failed", "vps.snapshot.completed"],
      ["vps.snapshot.completed", "database.backup.failed"],
    ],
    secret: ["a-signing-secret", "another-signing-secret"],
  },
};

const names = Object.keys(kinds).filter((name): name is RandomKind => name in kinds);

const MOST_RESOURCES = 12;

export class RandomProgram {
  #resources: readonly RandomResource[] = [];
  #counter = 0;
  readonly #random: () => number;
  readonly #frozen: readonly RandomKind[];
  readonly #servers: Choices;

  /**
   * @param options.frozen - Kinds whose inputs never change.
   * @param options.servers - Other choices for the inputs of servers.
   */
  constructor(
    random: () => number,
    { frozen = [], servers = {} }: { frozen?: readonly RandomKind[]; servers?: Choices } = {},
  ) {
    this.#random = random;
    this.#frozen = frozen;
    this.#servers = servers;
  }

  /** Returns the resources as a program declares them. */
  get resources(): readonly RandomResource[] {
    return this.#resources.map((resource) => {
      const { kind, name, formerNames, inputs } = resource;
      if (kind !== "Webhook") return resource;
      // Unique, because a resource that takes another's name in the program would count as its duplicate.
      return { ...resource, inputs: { ...inputs, url: `${inputs["url"]}?of=${formerNames.at(-1) ?? name}` } };
    });
  }

  /** Adds, removes, renames or changes one resource. */
  change(): void {
    const what = this.#random();
    const victim = this.#pick(this.#resources);
    if (victim === undefined || (what < 0.35 && this.#resources.length < MOST_RESOURCES)) this.#add();
    else if (what < 0.5) this.#resources = this.#resources.filter((one) => one !== victim);
    else if (what < 0.6)
      this.#become(victim, {
        ...victim,
        name: this.#newName(),
        formerNames: [victim.name, ...victim.formerNames],
      });
    else if (!this.#frozen.includes(victim.kind)) {
      const [input, values] = this.#pick(this.#choicesOf(victim.kind)) ?? ["", []];
      this.#become(victim, { ...victim, inputs: { ...victim.inputs, [input]: this.#pick(values) } });
    }
  }

  #add(): void {
    const kind = this.#pick(names) ?? "Link";
    const inputs = Object.fromEntries(
      this.#choicesOf(kind).map(([input, values]) => [input, this.#pick(values)]),
    );
    this.#resources = [...this.#resources, { kind, name: this.#newName(), formerNames: [], inputs }];
  }

  #become(before: RandomResource, after: RandomResource): void {
    this.#resources = this.#resources.map((one) => (one === before ? after : one));
  }

  #choicesOf(kind: RandomKind): [string, readonly unknown[]][] {
    return Object.entries({ ...kinds[kind], ...(kind === "VpsInstance" && this.#servers) });
  }

  #newName(): string {
    this.#counter += 1;
    return `r${this.#counter - 1}`;
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#random() * list.length)];
  }
}
