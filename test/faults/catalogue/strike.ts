import type { HttpResponse, ProxiedRequest, Strike } from "../service/service.js";

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const refusal = (status: number, headers: HttpResponse["headers"] = {}): HttpResponse => ({
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

export const html = (status: number): HttpResponse => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: "<!doctype html><title>Gateway</title><h1>The page of some gateway</h1>",
});

export const instead =
  (respond: (request: ProxiedRequest) => HttpResponse): Strike =>
  (request) =>
    request.send(respond(request));
export const replacing =
  (respond: (request: ProxiedRequest, real: HttpResponse) => HttpResponse): Strike =>
  async (request) => {
    const real = await request.forward();
    request.send(respond(request, real));
  };

/** Forwards the request and sends its response with another body. */
export const withBody = (change: (body: unknown) => unknown): Strike =>
  replacing((_hop, real) => ({ ...real, body: change(real.body) }));
