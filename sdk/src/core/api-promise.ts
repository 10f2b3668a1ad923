import type { IncomingHttpHeaders } from "node:http";

/** Members of the envelope's `meta`. Specification: "Response envelope". */
export interface Meta {
  /** Identifies the request towards the service's support. */
  readonly requestId?: string;
  /** The service's clock at the answer, Unix seconds. */
  readonly timestamp?: number;
}

/** An answer with what surrounds it. */
export interface ApiResponse<T> {
  readonly data: T;
  readonly meta: Meta;
  /** HTTP status. */
  readonly status: number;
  /** HTTP headers, names in lower case. */
  readonly headers: IncomingHttpHeaders;
}

/** A promise of the data; `withResponse` gives status, headers and `meta` too, of the same one request. */
export type ApiPromise<T> = Promise<T> & { withResponse(): Promise<ApiResponse<T>> };

export function apiPromise<T>(received: Promise<ApiResponse<T>>): ApiPromise<T> {
  const data = received.then((response) => response.data);
  return Object.assign(data, {
    withResponse() {
      // Who asks for the whole answer hears of a failure there, and only there.
      data.catch(() => {});
      return received;
    },
  });
}
