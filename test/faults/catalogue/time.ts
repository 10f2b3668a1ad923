import type { ProxiedRequest } from "../service/service.js";
import type { Fault, SeenRequest } from "./fault.js";
import { isRecord, replacing } from "./strike.js";

const progressed: readonly {
  readonly route: RegExp;
  readonly kind: "database" | "vps" | "vpsAction" | "deletion";
  /** In minutes: between one and two times the provider's timeout. */
  readonly tooLong: number;
}[] = [
  { route: /^(POST \/databases|PATCH \/databases\/:id)$/, kind: "database", tooLong: 45 },
  { route: /^POST \/vps\/instances$/, kind: "vps", tooLong: 30 },
  {
    route: /^(POST \/vps\/instances\/:id\/actions|PATCH \/vps\/instances\/:id)$/,
    kind: "vpsAction",
    tooLong: 30,
  },
  { route: /^DELETE \/(databases|vps\/instances)\/:id$/, kind: "deletion", tooLong: 15 },
];

export function provisioning({ method, route }: SeenRequest): Fault[] {
  const found = progressed.find((each) => each.route.test(`${method} ${route}`));
  if (!found) return [];
  const { kind, tooLong } = found;
  const course = (
    name: string,
    progression: Parameters<ProxiedRequest["sandbox"]["progress"]>[1],
  ): Fault => ({
    name: `provisioning-${name}`,
    class: "provisioning",
    span: "once",
    when: "before",
    strike: async (request) => {
      request.sandbox.progress(kind, progression, { next: 1 });
      request.send(await request.forward());
    },
  });
  return [
    course("slow", { mode: "time", ms: 240_000 }),
    course("reads", { mode: "reads", reads: 7 }),
    ...(kind === "deletion" ? [] : [course("fails", { mode: "fail", reason: "no capacity" })]),
    // If it never ended, every run would fail in the same way; the tests of the kinds cover the timeouts.
    course("stuck", { mode: "time", ms: tooLong * 60_000 }),
  ];
}

export function clocks(): Fault[] {
  return [-1, 1].map((days) => ({
    name: `clock-${days < 0 ? "behind" : "ahead"}`,
    class: "clock",
    span: "always",
    when: "instead",
    strike: replacing((_hop, real) => {
      const shift = days * 86_400;
      const date = Date.parse(real.headers["date"] ?? "");
      const headers = Number.isNaN(date)
        ? real.headers
        : { ...real.headers, date: new Date(date + shift * 1_000).toUTCString() };
      if (!isRecord(real.body) || !isRecord(real.body["meta"])) return { ...real, headers };
      const { meta } = real.body;
      const timestamp = meta["timestamp"];
      const moved = typeof timestamp === "number" ? { ...meta, timestamp: timestamp + shift } : meta;
      return { ...real, headers, body: { ...real.body, meta: moved } };
    }),
  }));
}
