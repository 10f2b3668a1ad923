import type { IncomingHttpHeaders } from "node:http";

/** Members of the envelope's `meta`. Specification: "Response envelope". */
export interface Meta {
  /** Identifies the request to the service's support. */
  readonly requestId?: string;
  /** The service's clock when it responded, Unix seconds. */
  readonly timestamp?: number;
}

/** The data of a response with its status, headers and `meta`. */
export interface ApiResponse<T> {
  /** `data` of the envelope, with camelCase names. */
  readonly data: T;
  /** `meta` of the envelope. */
  readonly meta: Meta;
  /** HTTP status. */
  readonly status: number;
  /** HTTP headers, names in lower case. */
  readonly headers: IncomingHttpHeaders;
}

/** A promise of the data. `withResponse` also returns status, headers and `meta` of the same request. */
export type ApiPromise<T> = Promise<T> & {
  /** Returns the data with status, headers and `meta` of the same request. */
  withResponse(): Promise<ApiResponse<T>>;
};

export function apiPromise<T>(received: Promise<ApiResponse<T>>): ApiPromise<T> {
  const data = received.then((response) => response.data);
  return Object.assign(data, {
    withResponse() {
      // The returned promise reports a failure; the data promise must not report it again as unhandled.
      data.catch(() => {});
      return received;
    },
  });
}
