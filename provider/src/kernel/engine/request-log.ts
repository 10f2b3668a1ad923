import type { Logger } from "cloudservices-sdk";

/**
 * Returns the target of the request log, or undefined unless `CLOUDSERVICES_LOG` is set. The sdk redacts what it
 * knows of one request; `clean` also covers the secrets of all other resources, in every encoding.
 */
export function requestLog(
  environment: Readonly<Record<string, string | undefined>>,
  clean: (text: string) => string,
): Logger | undefined {
  if (!environment["CLOUDSERVICES_LOG"]) return undefined;
  const at = (level: string) => (message: string, fields: Record<string, unknown>) =>
    void process.stderr.write(`${clean(`cloudservices ${level}: ${message} ${JSON.stringify(fields)}`)}\n`);
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}
