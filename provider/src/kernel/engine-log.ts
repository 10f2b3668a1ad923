import { getProject, getStack, runtime } from "@pulumi/pulumi";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Reporter } from "./session.js";

/** All statuses of a resource are one stream, of which the display shows the newest. */
const STREAM = 1;

/**
 * The engine's address. Its host of dynamic providers offers no way to it, but is started with it as the last
 * argument.
 */
export function engineAddress(argument: string | undefined): string | undefined {
  return argument !== undefined && /^[\w.[\]:-]+:\d+$/.test(argument) ? argument : undefined;
}

/** Reports on a resource's own row. */
export function engineReporter(address: string | undefined): Reporter {
  const engine = address === undefined ? undefined : connect(address);
  const send = (severity: 1 | 2, urn: string | undefined, message: string, ephemeral: boolean) => {
    if (!engine) return severity === LogSeverity.WARNING ? console.error(message) : undefined;
    const request = new LogRequest();
    request.setSeverity(severity);
    request.setMessage(message);
    request.setUrn(urn ?? "");
    request.setStreamid(STREAM);
    request.setEphemeral(ephemeral);
    // A status that does not arrive is no reason to fail.
    engine.log(request, () => undefined);
  };
  return {
    status: (urn, message) => send(LogSeverity.INFO, urn, message, true),
    warn: (urn, message) => send(LogSeverity.WARNING, urn, message, false),
  };
}

function connect(address: string) {
  runtime.resetOptions(getProject(), getStack(), -1, address, "", false, "");
  return runtime.getEngine();
}
