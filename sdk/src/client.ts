import { randomUUID } from "node:crypto";
import { Api } from "./core/api.js";
import { systemClock } from "./core/clock.js";
import type { CallLimits } from "./core/deadline.js";
import { type ClientOptions, readSettings } from "./core/settings.js";
import { Databases } from "./resources/databases.js";
import { Links } from "./resources/links.js";
import { Mail } from "./resources/mail.js";
import { Utils } from "./resources/utils.js";
import { Vps } from "./resources/vps.js";
import { Webhooks } from "./resources/webhooks.js";

/**
 * Returns the connection that the resource classes share. A program that bundles and uses few of them builds only those:
 *
 * @example
 * ```ts
 * const links = new Links(connect({ apiKey, baseUrl }));
 * ```
 */
export function connect(options: ClientOptions = {}): Api {
  return new Api(readSettings(options, process.env), {
    clock: systemClock,
    random: Math.random,
    uuid: randomUUID,
  });
}

/**
 * The client of the Cloud Services API. Make one and share it: its limiter and its connections serve everything
 * that uses it.
 *
 * @throws {@link ConfigurationError} when an option cannot be used; nothing is sent then.
 * @example
 * ```ts
 * const client = new CloudServices({ apiKey: process.env.CLOUDSERVICES_API_KEY, baseUrl: "https://api.example.com/v1" });
 * for await (const link of client.links.list()) console.log(link.shortUrl);
 * ```
 */
export class CloudServices {
  /** Normalised: without a trailing slash. */
  readonly baseUrl: string;
  readonly links: Links;
  readonly databases: Databases;
  readonly vps: Vps;
  readonly mail: Mail;
  readonly webhooks: Webhooks;
  readonly utils: Utils;
  readonly #api: Api;

  /** @param options - How the client is made; or what {@link connect} has made. */
  constructor(options: ClientOptions | Api = {}) {
    const api = options instanceof Api ? options : connect(options);
    this.#api = api;
    this.baseUrl = api.baseUrl;
    this.links = new Links(api);
    this.databases = new Databases(api);
    this.vps = new Vps(api);
    this.mail = new Mail(api);
    this.webhooks = new Webhooks(api);
    this.utils = new Utils(api);
  }

  /**
   * The same client for one piece of work: it shares the limiter, the connections and the polls of all waits, and each
   * of its calls is bound by these limits. The limits of a view of a view replace the first ones. Waits have options of
   * their own.
   *
   * @example
   * ```ts
   * const end = performance.now() + 30_000;
   * const hurried = client.within({ left: () => end - performance.now() });
   * ```
   */
  within(limits: CallLimits): CloudServices {
    return new CloudServices(this.#api.within(limits));
  }

  /** Closes idle connections, after the requests in flight. A process ends without it, too. */
  close(): Promise<void> {
    return this.#api.close();
  }
}
