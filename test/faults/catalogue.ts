import type { ApiMode, InjectedFault } from "./evidence.js";
import type { Answer, Hop, Planted, Strike } from "./service.js";

/** What results are counted by; docs/failure-model.md has a section for each. */
export const faultClasses = [
  "rate-limit",
  "server-error",
  "reset",
  "cut",
  "stall",
  "down",
  "body",
  "field",
  "refused",
  "key",
  "kill",
  "drift",
  "rival",
  "stale",
  "list",
  "provisioning",
  "normalised",
  "masked",
  "clock",
] as const;
export type FaultClass = (typeof faultClasses)[number];

/** A way in which one request, or all from it on, can go wrong. */
export interface Fault {
  readonly name: string;
  readonly class: FaultClass;
  readonly span: InjectedFault["span"];
  readonly when: InjectedFault["when"];
  readonly strike: Strike;
}

/** A request that was seen in a clean run. */
export interface Seen {
  /** Its place among the requests of the phase, and among those of the same method and route. */
  readonly index: number;
  readonly occurrence: number;
  readonly method: string;
  readonly route: string;
  readonly target: string;
  readonly answer: Answer | undefined;
  readonly requestBody: unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const refusal = (status: number, headers: Answer["headers"] = {}): Answer => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: {
    status: "error",
    error: { code: CODES[status] ?? "INTERNAL_ERROR", message: "The campaign refused this request." },
  },
});

const CODES: Readonly<Record<number, string>> = {
  401: "UNAUTHORIZED",
  404: "NOT_FOUND",
  403: "FORBIDDEN",
  429: "RATE_LIMITED",
};

const html = (status: number): Answer => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: "<!doctype html><title>Gateway</title><h1>The page of some gateway</h1>",
});

const before =
  (answer: (hop: Hop) => Answer): Strike =>
  (hop) =>
    hop.send(answer(hop));
const after =
  (answer: (hop: Hop, real: Answer) => Answer): Strike =>
  async (hop) => {
    const real = await hop.forward();
    hop.send(answer(hop, real));
  };

/** The answer with its body replaced. */
const changed = (change: (body: unknown) => unknown): Strike =>
  after((_hop, real) => ({ ...real, body: change(real.body) }));

function statuses(): Fault[] {
  const pause = (name: string, header: (hop: Hop) => string | undefined): Fault => ({
    name: `429-${name}`,
    class: "rate-limit",
    span: "once",
    when: "before",
    strike: before((hop) => {
      const value = header(hop);
      return refusal(429, value === undefined ? {} : { "retry-after": value });
    }),
  });
  const limits = [
    pause("seconds", () => "7"),
    pause("date", ({ time }) => new Date(time.now + 9_000).toUTCString()),
    pause("absent", () => undefined),
    pause("absurd", () => "99999999"),
    pause("negative", () => "-5"),
  ];
  const server = [500, 502, 503, 504].flatMap((status) =>
    (["once", "every"] as const).flatMap((span): Fault[] => [
      {
        name: `${status}-before`,
        class: "server-error",
        span,
        when: "before",
        strike: before(() => refusal(status)),
      },
      {
        name: `${status}-after`,
        class: "server-error",
        span,
        when: "after",
        strike: after(() => refusal(status)),
      },
    ]),
  );
  const refused = [401, 403].flatMap((status): Fault[] => [
    {
      name: `${status}`,
      class: "refused",
      span: "once",
      when: "before",
      strike: before(() => refusal(status)),
    },
  ]);
  return [...limits, ...server, ...refused];
}

function connections(): Fault[] {
  return (["once", "every"] as const).flatMap((span): Fault[] => [
    { name: "reset-before", class: "reset", span, when: "before", strike: (hop) => hop.reset() },
    {
      name: "reset-after",
      class: "reset",
      span,
      when: "after",
      strike: async (hop) => {
        await hop.forward();
        hop.reset();
      },
    },
    { name: "stall-before", class: "stall", span, when: "before", strike: (hop) => hop.stall() },
    {
      name: "stall-after",
      class: "stall",
      span,
      when: "after",
      strike: async (hop) => {
        await hop.forward();
        hop.stall();
      },
    },
    {
      name: "cut-body",
      class: "cut",
      span,
      when: "after",
      strike: async (hop) => hop.sendCut(await hop.forward(), 0.5),
    },
  ]);
}

function bodies(): Fault[] {
  const spoilt = (name: string, strike: Strike): Fault[] =>
    (["once", "every"] as const).map((span) => ({ name, class: "body", span, when: "instead", strike }));
  return [
    ...spoilt(
      "truncated-json",
      changed((body) => JSON.stringify(body).slice(0, -9)),
    ),
    ...spoilt(
      "wrong-content-type",
      after((_hop, real) => ({ ...real, headers: { ...real.headers, "content-type": "text/plain" } })),
    ),
    ...spoilt(
      "html-200",
      after(() => html(200)),
    ),
    ...spoilt(
      "gateway-404-html",
      before(() => html(404)),
    ),
    ...spoilt(
      "gateway-404-json",
      before(() => refusal(404)),
    ),
    ...spoilt(
      "gateway-404-bare",
      before(() => ({ status: 404, headers: {}, body: "" })),
    ),
    ...spoilt(
      "empty-body",
      changed(() => ""),
    ),
    ...spoilt(
      "envelope-without-data",
      changed((body) => (isRecord(body) ? { status: "success", meta: body["meta"] } : body)),
    ),
    ...spoilt(
      "envelope-bare",
      changed((body) => (isRecord(body) ? body["data"] : body)),
    ),
    ...spoilt(
      "envelope-null",
      changed((body) => (isRecord(body) ? { ...body, data: null } : body)),
    ),
    ...spoilt(
      "envelope-other-type",
      changed((body) => (isRecord(body) ? { ...body, data: Array.isArray(body["data"]) ? {} : [] } : body)),
    ),
    ...spoilt(
      "error-with-200",
      changed(() => ({ status: "error", error: { code: "INTERNAL_ERROR", message: "as a success" } })),
    ),
  ];
}

/** Every field of the answer, missing, null and of another type; of a list, the fields of its items. */
function fields(seen: Seen): Fault[] {
  const body = seen.answer?.body;
  const data = isRecord(body) ? body["data"] : undefined;
  const sample = Array.isArray(data) ? data[0] : data;
  if (!isRecord(sample)) return [];
  const spoilt = (
    name: string,
    field: string,
    change: (item: Record<string, unknown>) => Record<string, unknown>,
  ): Fault => ({
    name: `${name}:${field}`,
    class: "field",
    span: "once",
    when: "instead",
    strike: changed((answer) => {
      if (!isRecord(answer)) return answer;
      const { data: real } = answer;
      if (Array.isArray(real))
        return { ...answer, data: real.map((item) => (isRecord(item) ? change(item) : item)) };
      return isRecord(real) ? { ...answer, data: change(real) } : answer;
    }),
  });
  return Object.keys(sample).flatMap((field) => [
    spoilt("field-missing", field, ({ [field]: _gone, ...rest }) => rest),
    spoilt("field-null", field, (item) => ({ ...item, [field]: null })),
    spoilt("field-type", field, (item) => ({ ...item, [field]: otherType(item[field]) })),
    ...(typeof sample[field] === "string" && PARSED.has(field)
      ? [spoilt("field-hostile", field, (item) => ({ ...item, [field]: `%${"../../?#\u0000<>%zz"}` }))]
      : []),
  ]);
}

/** Fields that a client takes apart, so that what stands in them matters. */
const PARSED: ReadonlySet<string> = new Set([
  "id",
  "inbox_id",
  "connection_uri",
  "pool_uri",
  "email_address",
  "created_at",
  "expires_at",
  "status",
]);

/** A service shows that there is a secret, and not which. */
function masked(seen: Seen): Fault[] {
  const body = seen.answer?.body;
  if (seen.method !== "GET" || !JSON.stringify(body ?? "").includes("connection_uri")) return [];
  return [
    {
      name: "masked",
      class: "masked",
      span: "rest",
      when: "instead",
      strike: changed((answer) =>
        JSON.parse(JSON.stringify(answer ?? null).replace(/(postgresql:\/\/[^:"]+:)[^@"]+@/g, "$1********@")),
      ),
    },
  ];
}

const otherType = (value: unknown): unknown =>
  typeof value === "string"
    ? 17
    : typeof value === "number"
      ? "17"
      : typeof value === "boolean"
        ? "yes"
        : "something";

function kills(): Fault[] {
  const kill = (name: string, when: Fault["when"], strike: Strike): Fault => ({
    name: `kill-${name}`,
    class: "kill",
    span: "once",
    when,
    strike,
  });
  return [
    kill("provider-before", "before", (hop) => hop.kill("provider")),
    kill("provider-after-commit", "after", async (hop) => {
      await hop.forward();
      hop.kill("provider");
    }),
    kill("provider-while-reading", "after", async (hop) => {
      await hop.sendCut(await hop.forward(), 0.3);
      hop.kill("provider");
    }),
    kill("engine-after-commit", "after", async (hop) => {
      await hop.forward();
      hop.kill("engine");
    }),
    // What the step has made reaches the engine, and is never written.
    kill("engine-before-checkpoint", "after", async (hop) => {
      const answer = await hop.forward();
      hop.kill("engine");
      hop.send(answer);
    }),
  ];
}

function behindOurBack(seen: Seen): Fault[] {
  const id = /\/([a-z]+_[A-Za-z0-9]+)/.exec(seen.target)?.[1];
  if (id === undefined) return [];
  const target = (hop: Hop) => /\/([a-z]+_[A-Za-z0-9]+)/.exec(hop.path)?.[1] ?? "";
  return [
    {
      name: "deleted-behind",
      class: "drift",
      span: "once",
      when: "before",
      strike: async (hop) => {
        await hop.sandbox.remove(target(hop)).catch(() => undefined);
        hop.send(await hop.forward());
      },
    },
  ];
}

/** By the route that creates it: in which fields somebody else's resource is like ours, and in which it differs. */
const rivalry: Readonly<Record<string, Omit<Planted, "fields"> & { other: Planted["fields"] }>> = {
  "/shortener/links": { kind: "Link", like: ["url"], other: { title: "Theirs" } },
  // The service does not return the plan: a rival that differs in nothing else could not be told from ours.
  "/databases": { kind: "Database", like: ["name", "engine", "plan", "region"], other: { version: "16" } },
  "/vps/instances": {
    kind: "VpsInstance",
    like: ["name", "region", "image"],
    other: { plan: "vps-standard-2" },
  },
  "/tempmail/inboxes": { kind: "Inbox", like: ["prefix"], other: { ttl_minutes: 1_440 } },
  "/webhooks": {
    kind: "Webhook",
    like: ["url"],
    other: { events: ["vps.snapshot.completed"], secret: "a-foreign-secret" },
  },
};

/** Nobody else chooses a name that is derived for one resource of one stack. */
const withoutHash = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(/-[a-z0-9]{7}$/, "") : value;

/** Somebody else creates what is almost the same, at the same moment. */
function rivals({ method, route, requestBody }: Seen): Fault[] {
  const rival = method === "POST" ? rivalry[route] : undefined;
  if (rival === undefined || !isRecord(requestBody)) return [];
  const { kind, like, other } = rival;
  const alike = like.filter((field) => requestBody[field] !== undefined);
  const plant = (hop: Hop) =>
    hop.plant({
      kind,
      like: alike,
      fields: {
        ...Object.fromEntries(alike.map((field) => [field, withoutHash(requestBody[field])])),
        ...other,
      },
    });
  const fault = (name: string, when: Fault["when"], strike: Strike): Fault => ({
    name: `rival-${name}`,
    class: "rival",
    span: "once",
    when,
    strike,
  });
  return [
    fault("before", "before", async (hop) => {
      await plant(hop);
      hop.send(await hop.forward());
    }),
    fault("and-lost-before", "before", async (hop) => {
      await plant(hop);
      hop.reset();
    }),
    fault("and-lost-after", "after", async (hop) => {
      await hop.forward();
      await plant(hop);
      hop.reset();
    }),
  ];
}

function staleness(seen: Seen): Fault[] {
  if (seen.method === "GET")
    return [1, 2].map((commits) => ({
      name: `stale-${commits}`,
      class: "stale",
      span: "once",
      when: "instead",
      strike: async (hop) => {
        hop.sandbox.faults.add({ kind: "stale", count: 1, commits });
        hop.send(await hop.forward());
      },
    }));
  // A refresh looks five times, within 10 seconds, for what no earlier one has found.
  return [1, 3, 4].map((reads) => ({
    name: `stale-next-${reads}`,
    class: "stale",
    span: "once",
    when: "after",
    strike: async (hop) => {
      const answer = await hop.forward();
      hop.sandbox.faults.add({ kind: "stale", count: reads, commits: 1 });
      hop.send(answer);
    },
  }));
}

function lists(seen: Seen): Fault[] {
  const body = seen.answer?.body;
  if (seen.method !== "GET" || !isRecord(body) || !Array.isArray(body["data"])) return [];
  const list = (name: string, change: (items: readonly unknown[]) => unknown[]): Fault[] =>
    (["once", "every"] as const).map((span) => ({
      name: `list-${name}`,
      class: "list",
      span,
      when: "instead",
      strike: changed((answer) =>
        isRecord(answer) && Array.isArray(answer["data"])
          ? { ...answer, data: change(answer["data"]) }
          : answer,
      ),
    }));
  return [
    ...list("omits-newest", (items) => items.slice(1)),
    ...list("omits-all", () => []),
    ...list("repeats", (items) => [...items, ...items]),
    ...list("reversed", (items) => [...items].reverse()),
    {
      name: "list-small-pages",
      class: "list",
      span: "rest",
      when: "instead",
      strike: async (hop) => {
        if (hop.method === "GET") hop.target = hop.target.replace(/limit=\d+/, "limit=1");
        hop.send(await hop.forward());
      },
    },
    {
      name: "list-shifts",
      class: "list",
      span: "rest",
      when: "instead",
      strike: async (hop) => {
        if (hop.method === "GET" && hop.target.includes("limit=")) {
          hop.target = hop.target.replace(/limit=\d+/, "limit=1");
          await hop.plant({ kind: "Link", like: [], fields: { url: "https://example.com/another" } });
        }
        hop.send(await hop.forward());
      },
    },
  ];
}

const progressed: readonly {
  readonly route: RegExp;
  readonly kind: "database" | "vps" | "vpsAction" | "deletion";
  /** Longer than the provider's time limit, in minutes, and shorter than twice as long. */
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

function provisioning({ method, route }: Seen): Fault[] {
  const found = progressed.find((each) => each.route.test(`${method} ${route}`));
  if (!found) return [];
  const { kind, tooLong } = found;
  const course = (name: string, progression: Parameters<Hop["sandbox"]["progress"]>[1]): Fault => ({
    name: `provisioning-${name}`,
    class: "provisioning",
    span: "once",
    when: "before",
    strike: async (hop) => {
      hop.sandbox.progress(kind, progression, { next: 1 });
      hop.send(await hop.forward());
    },
  });
  return [
    course("slow", { mode: "time", ms: 240_000 }),
    course("reads", { mode: "reads", reads: 7 }),
    ...(kind === "deletion" ? [] : [course("fails", { mode: "fail", reason: "no capacity" })]),
    // What is stuck for ever ends in the same error in each run; the time limits are tested with the kinds.
    course("stuck", { mode: "time", ms: tooLong * 60_000 }),
  ];
}

/** What the service makes of values for as long as it lives. */
function normalised(): Fault[] {
  const always = (
    name: string,
    change: (item: Record<string, unknown>) => Record<string, unknown>,
  ): Fault => ({
    name: `normalised-${name}`,
    class: "normalised",
    span: "always",
    when: "instead",
    strike: changed((answer) => {
      if (!isRecord(answer)) return answer;
      const { data } = answer;
      if (Array.isArray(data))
        return { ...answer, data: data.map((item) => (isRecord(item) ? change(item) : item)) };
      return isRecord(data) ? { ...answer, data: change(data) } : answer;
    }),
  });
  const texts =
    (names: readonly string[], change: (text: string) => string) => (item: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(item).map(([name, value]) => [
          name,
          names.includes(name) && typeof value === "string" ? change(value) : value,
        ]),
      );
  return [
    always(
      "case",
      texts(["region", "engine", "plan", "name", "domain"], (text) => text.toUpperCase()),
    ),
    always(
      "url",
      texts(["destination_url", "url"], (text) => `${text}/`),
    ),
    always(
      "version",
      texts(["version"], (text) => `${text}.4`),
    ),
    always("clamped", (item) => ({
      ...item,
      ...(typeof item["ttl_minutes"] === "number" && { ttl_minutes: 45 }),
      ...(typeof item["retention_days"] === "number" && { retention_days: 5 }),
      ...(typeof item["hour_utc"] === "number" && { hour_utc: 1 }),
    })),
  ];
}

/** A service that gives one item a page, whatever it is asked for. */
function paging(): Fault[] {
  const strike: Strike = async (hop) => {
    if (hop.method === "GET") hop.target = hop.target.replace(/limit=\d+/, "limit=1");
    hop.send(await hop.forward());
  };
  return [{ name: "pages-of-one", class: "list", span: "always", when: "instead", strike }];
}

function clocks(): Fault[] {
  return [-1, 1].map((days) => ({
    name: `clock-${days < 0 ? "behind" : "ahead"}`,
    class: "clock",
    span: "always",
    when: "instead",
    strike: after((_hop, real) => {
      const shift = days * 86_400;
      const date = Date.parse(real.headers["date"] ?? "");
      const headers = Number.isNaN(date)
        ? real.headers
        : { ...real.headers, date: new Date(date + shift * 1_000).toUTCString() };
      if (!isRecord(real.body) || !isRecord(real.body["meta"])) return { ...real, headers };
      const { meta } = real.body;
      const told = meta["timestamp"];
      const moved = typeof told === "number" ? { ...meta, timestamp: told + shift } : meta;
      return { ...real, headers, body: { ...real.body, meta: moved } };
    }),
  }));
}

function keys(seen: Seen): Fault[] {
  const isFirst = seen.index === 0;
  const pass = after((_hop, real) => real);
  return [
    { name: "key-revoked", class: "key", span: "rest", when: "before", strike: before(() => refusal(401)) },
    // The whole command is run with another account's key, which changes what it asks for; it is put right after that.
    ...(isFirst
      ? [{ name: "key-other", class: "key", span: "always", when: "instead", strike: pass } as const]
      : []),
    { name: "key-rotated", class: "key", span: "rest", when: "before", strike: before(() => refusal(401)) },
  ];
}

function outages(): Fault[] {
  return [
    // A gateway that has lost all of its routes.
    {
      name: "gateway-404-all",
      class: "body",
      span: "rest",
      when: "instead",
      strike: before(() => html(404)),
    },
    {
      name: "service-down",
      class: "down",
      span: "rest",
      when: "before",
      strike: (hop) => hop.reset(),
    },
  ];
}

/** Every fault that can strike the request. */
export function faultsFor(seen: Seen, mode: ApiMode): Fault[] {
  // What holds for the whole run needs no second case for its second request.
  const whole = seen.index === 0 ? [...normalised(), ...clocks(), ...paging()] : [];
  return [
    ...kills(),
    ...statuses(),
    ...connections(),
    ...bodies(),
    ...fields(seen),
    ...masked(seen),
    ...behindOurBack(seen),
    ...rivals(seen),
    ...staleness(seen),
    ...lists(seen),
    // Without a documented request that reads it, nothing can wait for it.
    ...(mode === "conventional" ? provisioning(seen) : []),
    ...keys(seen),
    ...outages(),
    ...whole,
  ];
}
