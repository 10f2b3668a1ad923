import { redact } from "./redact.js";

export const LOG_LEVELS = ["off", "error", "warn", "info", "debug"] as const;

/** From silent to verbose. `info` logs retries, `debug` each request and response. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The target of the log, e.g. `console`. It receives no secrets. */
export interface Logger {
  /** Receives failures that need attention. */
  error(message: string, fields: Record<string, unknown>): void;
  /** Receives what may need attention. */
  warn(message: string, fields: Record<string, unknown>): void;
  /** Receives retries. */
  info(message: string, fields: Record<string, unknown>): void;
  /** Receives each request and response. */
  debug(message: string, fields: Record<string, unknown>): void;
}

/** A logger with a level. It redacts every field, and an error of the logger fails no request. */
export interface Log extends Logger {
  /** Whether debug messages are logged: they are costly to prepare. */
  readonly verbose: boolean;
}

const toStderr = (level: LogLevel) => (message: string, fields: Record<string, unknown>) =>
  void process.stderr.write(`cloudservices ${level}: ${message} ${JSON.stringify(fields)}\n`);

/** Writes one line for each message to stderr. */
export const logToStderr: Logger = {
  error: toStderr("error"),
  warn: toStderr("warn"),
  info: toStderr("info"),
  debug: toStderr("debug"),
};

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
      // An error of the logger fails no request.
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
