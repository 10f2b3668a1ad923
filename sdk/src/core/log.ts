import { redact } from "./redact.js";

/** From silent to chatty. `info` tells retries, `debug` each request and answer. */
export type LogLevel = "off" | "error" | "warn" | "info" | "debug";

/** Where the client reports to; `console` is one. What it gets holds no secrets. */
export interface Logger {
  error(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  info(message: string, fields: Record<string, unknown>): void;
  debug(message: string, fields: Record<string, unknown>): void;
}

/** A logger behind its level. It redacts every field, and a logger that throws breaks no request. */
export interface Log extends Logger {
  /** Whether debug messages are wanted: they are costly to prepare. */
  readonly verbose: boolean;
}

const ORDER = { off: 0, error: 1, warn: 2, info: 3, debug: 4 } as const;

export function logTo(logger: Logger | undefined, level: LogLevel): Log {
  const at = (wanted: Exclude<LogLevel, "off">) => (message: string, fields: Record<string, unknown>) => {
    if (logger === undefined || ORDER[level] < ORDER[wanted]) return;
    try {
      logger[wanted](
        message,
        Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, redact(value)])),
      );
    } catch {
      // A request does not fail because nobody could write it down.
    }
  };
  return {
    verbose: logger !== undefined && level === "debug",
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    debug: at("debug"),
  };
}
