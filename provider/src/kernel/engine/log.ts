import { clearTimeout, setTimeout } from "node:timers";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Reporter } from "../stack/session.js";
import { grpc } from "./grpc.js";

/** The stream of a resource's statuses: the display shows the newest of a stream. */
const STREAM = 1;

/** How long a hook waits at most for the engine to accept a warning, in milliseconds. */
const MOST_WAIT = 5_000;

/** Returns the engine's address, which every provider process receives as its last argument. */
export function engineAddress(argument: string | undefined): string | undefined {
  return argument !== undefined && /^[\w.[\]:-]+:\d+$/.test(argument) ? argument : undefined;
}

/** A reporter that writes to a resource's row on the engine's display. */
export interface EngineReporter extends Reporter {
  /** Resolves when the engine has accepted every warning. Warnings that arrive after the last hook returns are lost. */
  delivered(): Promise<void>;
}

/** Connects to the engine at the address. */
export function engineReporter(address: string | undefined): EngineReporter {
  const pending = new Set<Promise<void>>();
  const engine =
    address === undefined
      ? undefined
      : // The engine is on this machine. Otherwise, gRPC uses the proxies of the environment for it.
        new EngineClient(address, grpc.credentials.createInsecure(), { "grpc.enable_http_proxy": 0 });
  const send = (severity: 1 | 2, urn: string | undefined, message: string, ephemeral: boolean) => {
    if (!engine) return severity === LogSeverity.WARNING ? console.error(message) : undefined;
    const request = new LogRequest();
    request.setSeverity(severity);
    request.setMessage(message);
    request.setUrn(urn ?? "");
    request.setStreamid(STREAM);
    request.setEphemeral(ephemeral);
    // A lost message is no reason to fail, and a status is not awaited.
    if (ephemeral) {
      engine.log(request, () => undefined);
      return;
    }
    const accepted = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MOST_WAIT);
      engine.log(request, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    pending.add(accepted);
    void accepted.then(() => pending.delete(accepted));
  };
  return {
    status: (urn, message) => send(LogSeverity.INFO, urn, message, true),
    warn: (urn, message) => send(LogSeverity.WARNING, urn, message, false),
    delivered: async () => void (await Promise.all(pending)),
  };
}
