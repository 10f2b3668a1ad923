import { clearTimeout, setTimeout } from "node:timers";
import { getProject, getStack, runtime } from "@pulumi/pulumi";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Reporter } from "../stack/session.js";

/** All statuses of a resource are one stream, of which the display shows the newest. */
const STREAM = 1;

/** How long a hook waits at most for the engine to take a warning, in milliseconds. */
const MOST_WAIT = 5_000;

/**
 * The engine's address. Its host of dynamic providers offers no way to it, but is started with it as the last
 * argument.
 */
export function engineAddress(argument: string | undefined): string | undefined {
  return argument !== undefined && /^[\w.[\]:-]+:\d+$/.test(argument) ? argument : undefined;
}

/** Reports on a resource's own row. */
export interface EngineReporter extends Reporter {
  /** Resolves when the engine has taken every warning: one that comes after the last hook has answered is lost. */
  delivered(): Promise<void>;
}

/** Connects to the engine at the address. */
export function engineReporter(address: string | undefined): EngineReporter {
  const underWay = new Set<Promise<void>>();
  const engine = address === undefined ? undefined : connect(address);
  const send = (severity: 1 | 2, urn: string | undefined, message: string, ephemeral: boolean) => {
    if (!engine) return severity === LogSeverity.WARNING ? console.error(message) : undefined;
    const request = new LogRequest();
    request.setSeverity(severity);
    request.setMessage(message);
    request.setUrn(urn ?? "");
    request.setStreamid(STREAM);
    request.setEphemeral(ephemeral);
    // What does not arrive is no reason to fail, and a status is not waited for.
    if (ephemeral) {
      engine.log(request, () => undefined);
      return;
    }
    const taken = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MOST_WAIT);
      engine.log(request, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    underWay.add(taken);
    void taken.then(() => underWay.delete(taken));
  };
  return {
    status: (urn, message) => send(LogSeverity.INFO, urn, message, true),
    warn: (urn, message) => send(LogSeverity.WARNING, urn, message, false),
    delivered: async () => void (await Promise.all(underWay)),
  };
}

function connect(address: string) {
  runtime.resetOptions(getProject(), getStack(), -1, address, "", false, "");
  return runtime.getEngine();
}
