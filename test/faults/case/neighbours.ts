import type { Foreign } from "../evidence/service.js";
import type { Planted, Service } from "../service/service.js";
import { TENANT } from "../subjects.js";

const region = "eu-central-1";

const theirs: readonly Planted[] = [
  { kind: "Link", like: ["url"], fields: { url: "https://example.com/home" } },
  {
    kind: "Database",
    like: ["name"],
    fields: { name: "orders", engine: "postgresql", version: "15", plan: "db-starter-1", region },
  },
  {
    kind: "VpsInstance",
    like: ["name"],
    fields: { name: "web", plan: "vps-micro-1", region, image: "debian-12" },
  },
  { kind: "Inbox", like: [], fields: { prefix: "theirs", ttl_minutes: 1_440 } },
  {
    kind: "Webhook",
    like: ["url"],
    fields: {
      url: "https://hooks.example.com/backups",
      events: ["vps.snapshot.completed"],
      secret: "a-foreign-secret",
    },
  },
];

/** Resources of other owners, on the same account and on another, that resemble ours. */
export class Neighbours {
  readonly all: Foreign[] = [];
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  async plantAll(): Promise<void> {
    for (const tenant of [TENANT, "another"])
      for (const each of theirs) await this.plant(each, { phase: 0, when: "before" }, tenant);
  }

  async plant({ kind, like, fields }: Planted, planted: Foreign["planted"], tenant = TENANT): Promise<void> {
    const id = await seed(this.#service, { kind, fields }, tenant);
    const live = this.#service.live().find((each) => each.id === id);
    this.all.push({ kind, id, tenant, planted, like, fields: live?.fields ?? {} });
  }

  own(id: string): boolean {
    return this.all.some((each) => each.id === id);
  }
}

/** Creates a resource behind the provider's back, and returns its id. */
export async function seed(
  { sandbox }: Service,
  { kind, fields }: Pick<Planted, "kind" | "fields">,
  tenant = TENANT,
): Promise<string> {
  const [made] = await sandbox.seed([{ kind, tenant, fields: { ...fields } }]);
  return made?.id ?? "";
}
