import type { ServerResponse } from "node:http";

/** Changes within this time are sent as one. */
const TOGETHER_MS = 50;

const MAX_OPEN = 100;

/** Notifies open dashboards of changes, as server-sent events. */
export class Feed {
  readonly #open = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  add(response: ServerResponse): void {
    if (this.#open.size >= MAX_OPEN) {
      response.writeHead(503, { "retry-after": "10" }).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write("retry: 1000\n\n");
    this.#open.add(response);
    response.on("close", () => this.#open.delete(response));
  }

  changed(): void {
    if (this.#open.size === 0 || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const response of this.#open) response.write("data: changed\n\n");
    }, TOGETHER_MS);
    this.#timer.unref();
  }
}
