import type { ProxiedRequest, Strike } from "../service/service.js";
import type { Fault } from "./fault.js";
import { html, instead, isRecord, refusal, replacing, withBody } from "./strike.js";

export function statuses(): Fault[] {
  const pause = (name: string, header: (request: ProxiedRequest) => string | undefined): Fault => ({
    name: `429-${name}`,
    class: "rate-limit",
    span: "once",
    when: "before",
    strike: instead((request) => {
      const value = header(request);
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
        strike: instead(() => refusal(status)),
      },
      {
        name: `${status}-after`,
        class: "server-error",
        span,
        when: "after",
        strike: replacing(() => refusal(status)),
      },
    ]),
  );
  const refused = [401, 403].flatMap((status): Fault[] => [
    {
      name: `${status}`,
      class: "refused",
      span: "once",
      when: "before",
      strike: instead(() => refusal(status)),
    },
  ]);
  return [...limits, ...server, ...refused];
}

export function bodies(): Fault[] {
  const spoilt = (name: string, strike: Strike): Fault[] =>
    (["once", "every"] as const).map((span) => ({ name, class: "body", span, when: "instead", strike }));
  return [
    ...spoilt(
      "truncated-json",
      withBody((body) => JSON.stringify(body).slice(0, -9)),
    ),
    ...spoilt(
      "wrong-content-type",
      replacing((_hop, real) => ({ ...real, headers: { ...real.headers, "content-type": "text/plain" } })),
    ),
    ...spoilt(
      "html-200",
      replacing(() => html(200)),
    ),
    ...spoilt(
      "gateway-404-html",
      instead(() => html(404)),
    ),
    ...spoilt(
      "gateway-404-json",
      instead(() => refusal(404)),
    ),
    ...spoilt(
      "gateway-404-bare",
      instead(() => ({ status: 404, headers: {}, body: "" })),
    ),
    ...spoilt(
      "empty-body",
      withBody(() => ""),
    ),
    ...spoilt(
      "envelope-without-data",
      withBody((body) => (isRecord(body) ? { status: "success", meta: body["meta"] } : body)),
    ),
    ...spoilt(
      "envelope-bare",
      withBody((body) => (isRecord(body) ? body["data"] : body)),
    ),
    ...spoilt(
      "envelope-null",
      withBody((body) => (isRecord(body) ? { ...body, data: null } : body)),
    ),
    ...spoilt(
      "envelope-other-type",
      withBody((body) => (isRecord(body) ? { ...body, data: Array.isArray(body["data"]) ? {} : [] } : body)),
    ),
    ...spoilt(
      "error-with-200",
      withBody(() => ({ status: "error", error: { code: "INTERNAL_ERROR", message: "as a success" } })),
    ),
  ];
}
