import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createLogger } from "@stoplight/prism-core";
import { createInstance, getHttpOperationsFromSpec } from "@stoplight/prism-http";
import { closeLater } from "../support/folder.js";
import { portOf } from "../support/port-of.js";
import { type Document, operationFor } from "./document.js";
import { type Answer, type Request, readRequest, sendAnswer } from "./wire.js";

/** A request that passed, its answer, and what of the two the document does not allow. */
export interface Exchange {
  /** The document's `operationId`; absent where it has no such operation. */
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  /** 0 where there was no answer. */
  readonly status: number;
  /** In words, without the values: they may be secret. */
  readonly violations: readonly string[];
}

/** A proxy that passes everything on, whatever it finds. */
export interface ContractProxy {
  /** The address to give to a client in the place of the service's. */
  readonly baseUrl: string;
  readonly exchanges: readonly Exchange[];
}

/**
 * Prism between a client and a service: both sides of each exchange are held against an OpenAPI document. Closed at
 * the end of the test file.
 *
 * @param upstream base URL of the service, up to and with the version
 */
export async function openProxy(upstream: string, document: Document): Promise<ContractProxy> {
  // Prism resolves the references of the document in place.
  const operations = await getHttpOperationsFromSpec(structuredClone(document));
  const prism = createInstance(
    {
      isProxy: true,
      upstream: new URL(upstream),
      upstreamProxy: undefined,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      mock: { dynamic: false },
    },
    { logger: createLogger("prism", { level: "silent" }) },
  );

  async function judge(request: Request): Promise<{ answer: Answer; violations: string[] }> {
    const passed = await prism.request(request, operations)();
    if (passed._tag === "Left") {
      const { message } = passed.left;
      return { answer: { statusCode: 502, body: message }, violations: [`No answer came back: ${message}`] };
    }
    const { output, validations } = passed.right;
    // Warnings too: an undocumented status is none but a warning to Prism when it is an error's.
    return {
      answer: output,
      violations: [...validations.input, ...validations.output].map(({ message }) => message),
    };
  }

  const base = new URL(upstream).pathname;
  const exchanges: Exchange[] = [];
  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await readRequest(incoming, base);
    const method = request.method.toUpperCase();
    const { path, query } = request.url;
    const operation = operationFor(operations, method, path);
    const known = operation?.request?.query?.map(({ name }) => name) ?? [];
    // Prism lets unknown ones pass.
    const unknown = operation ? Object.keys(query).filter((name) => !known.includes(name)) : [];
    const { answer, violations } = await judge(request);
    exchanges.push({
      operation: operation?.iid,
      method,
      path,
      status: answer.statusCode,
      violations: [...unknown.map((name) => `Request query parameter ${name} is unknown`), ...violations],
    });
    sendAnswer(outgoing, answer);
  }

  const server = createServer((incoming, outgoing) => {
    const { method = "", url: path = "" } = incoming;
    pass(incoming, outgoing).catch((error: Error) => {
      const violations = [`It could not be passed on: ${error.message}`];
      exchanges.push({ operation: undefined, method, path, status: 0, violations });
      outgoing.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closeLater(() => {
    server.close();
    server.closeAllConnections();
  });
  return { baseUrl: `http://127.0.0.1:${portOf(server)}${base}`, exchanges };
}
