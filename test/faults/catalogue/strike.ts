import type { Answer, Hop, Strike } from "../service/service.js";

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const refusal = (status: number, headers: Answer["headers"] = {}): Answer => ({
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

export const html = (status: number): Answer => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: "<!doctype html><title>Gateway</title><h1>The page of some gateway</h1>",
});

export const before =
  (answer: (hop: Hop) => Answer): Strike =>
  (hop) =>
    hop.send(answer(hop));
export const after =
  (answer: (hop: Hop, real: Answer) => Answer): Strike =>
  async (hop) => {
    const real = await hop.forward();
    hop.send(answer(hop, real));
  };

/** The answer with its body replaced. */
export const changed = (change: (body: unknown) => unknown): Strike =>
  after((_hop, real) => ({ ...real, body: change(real.body) }));
