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
 * Returns what the resource classes share. A program that bundles and uses few of them creates only those.
 *
 * @throws {@link ConfigurationError} when an option is not valid.
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
 * The client of the Cloud Services API. Create one and share it, with its limiter and its connections.
 *
 * @throws {@link ConfigurationError} when an option is not valid. Nothing is sent.
 * @example
 * ```ts
 * const client = new CloudServices({ apiKey: process.env.CLOUDSERVICES_API_KEY, baseUrl: "https://api.example.com/v1" });
 * for await (const link of client.links.list()) console.log(link.shortUrl);
 * ```
 */
export class CloudServices {
  /** The base URL without a trailing slash. */
  readonly baseUrl: string;
  /** Short links. */
  readonly links: Links;
  /** Managed databases and their backup schedules. */
  readonly databases: Databases;
  /** Virtual servers. */
  readonly vps: Vps;
  /** Ephemeral inboxes and their messages. */
  readonly mail: Mail;
  /** Outbound notifications. */
  readonly webhooks: Webhooks;
  /** IP addresses, DNS and the webhook relay. */
  readonly utils: Utils;
  readonly #api: Api;

  /** @param options - The options of the client, or the result of {@link connect}. */
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
   * Returns a view of this client for one piece of work: each of its calls has these limits. The view shares the
   * limiter, the connections and the polls of waits. The limits of a view of a view replace the first ones. They do not
   * apply to waits, which have their own options.
   *
   * @example
   * ```ts
   * const end = performance.now() + 30_000;
   * const hurried = client.within({ remaining: () => end - performance.now() });
   * ```
   */
  within(limits: CallLimits): CloudServices {
    return new CloudServices(this.#api.within(limits));
  }

  /** Closes the connections after the requests in flight. A process can exit without it. */
  close(): Promise<void> {
    return this.#api.close();
  }
}
