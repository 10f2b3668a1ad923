import {
  BadRequestError,
  type CloudServices,
  NotFoundError,
  operations,
  RouteMissingError,
} from "cloudservices-sdk";
import { factOf, fixesOf } from "../../kernel/diagnostics/errors.js";
import { lineText } from "../../kernel/diagnostics/line.js";
import type { Check } from "./check.js";

/** A difference of clocks that matters: `expiresAt` is compared with this machine's clock. */
const MOST_SKEW = 60_000;

/** Checks that the service accepts the key, and how far its clock is from this machine's. */
export async function serviceChecks(api: CloudServices): Promise<Check[]> {
  const name = "service";
  const began = Date.now();
  try {
    const { headers } = await api.links.list({ limit: 1 }).withResponse();
    const took = Date.now() - began;
    return [
      { name, status: "ok", fact: `${api.baseUrl} accepts the key, in ${took} ms` },
      clockCheck(headers.date, began + took / 2),
    ];
  } catch (error) {
    return [failedService(error)];
  }
}

/** Reports that nothing could be asked, or that the service did not accept it. */
export function failedService(error: unknown): Check {
  const [fix] = fixesOf(error).map(({ line }) => lineText(line, "stack"));
  return { name: "service", status: "failed", fact: factOf(error), fix };
}

/**
 * Compares the service's clock with this machine's.
 *
 * @param header - The `Date` of a response, which has whole seconds.
 */
export function clockCheck(header: string | undefined, now: number): Check {
  const name = "clock";
  const theirs = Date.parse(header ?? "");
  if (Number.isNaN(theirs)) return { name, status: "skipped", fact: "the service sends no time" };
  const skew = now - theirs;
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) <= MOST_SKEW)
    return { name, status: "ok", fact: `within ${Math.max(seconds, 1)} s of the service` };
  return {
    name,
    status: "warning",
    fact: `this machine is ${seconds} s ${skew > 0 ? "ahead of" : "behind"} the service`,
    fix: "synchronise this machine's clock (timedatectl set-ntp true)",
  };
}

/** An id that no resource has. */
const NO_ID = "doctor-asks-for-nothing";

/** The requests that ask for an assumed route without changing anything. */
export const probes: Readonly<Record<string, (api: CloudServices) => Promise<unknown>>> = {
  "links.get": (api) => api.links.get(NO_ID),
  "databases.list": (api) => api.databases.list({ limit: 1 }),
  "databases.get": (api) => api.databases.get(NO_ID),
  "databases.getBackupSchedule": (api) => api.databases.getBackupSchedule(NO_ID),
  "vps.list": (api) => api.vps.list({ limit: 1 }),
  "vps.get": (api) => api.vps.get(NO_ID),
  "mail.listInboxes": (api) => api.mail.listInboxes({ limit: 1 }),
  "mail.getInbox": (api) => api.mail.getInbox(NO_ID),
  "webhooks.list": (api) => api.webhooks.list({ limit: 1 }),
  "webhooks.get": (api) => api.webhooks.get(NO_ID),
};

/** Whether the service has an assumed route. */
export interface Route {
  readonly method: string;
  readonly path: string;
  /** `not asked`: the request could change something. */
  readonly status: "present" | "missing" | "unknown" | "not asked";
  readonly reason?: string;
}

/** Asks for every assumed route that reads. */
export function routesOf(api: CloudServices): Promise<Route[]> {
  const assumed = operations.filter(({ basis }) => basis === "assumed");
  return Promise.all(
    assumed.map(async ({ call, method, path }): Promise<Route> => {
      const probe = probes[call];
      if (!probe) return { method, path, status: "not asked" };
      try {
        await probe(api);
        return { method, path, status: "present" };
      } catch (error) {
        if (error instanceof RouteMissingError) return { method, path, status: "missing" };
        if (error instanceof NotFoundError || error instanceof BadRequestError)
          return { method, path, status: "present" };
        return { method, path, status: "unknown", reason: factOf(error) };
      }
    }),
  );
}

/** Sums the routes up, and names each that is not there. */
export function routeChecks(routes: readonly Route[]): Check[] {
  const name = "routes";
  const count = (status: Route["status"]) => routes.filter((route) => route.status === status).length;
  const asked = routes.length - count("not asked");
  const absent = routes.filter(({ status }) => status === "missing" || status === "unknown");
  return [
    {
      name,
      status: absent.length === 0 ? "ok" : "warning",
      fact: `${count("present")} of ${asked} assumed routes that read are there; ${count("not asked")} that change something were not asked`,
      fix:
        absent.length === 0
          ? undefined
          : "see docs/api-coverage.md, and pulumi config set cloudservices:api documented",
    },
    ...absent.map(
      ({ method, path, status, reason }): Check => ({
        name,
        status: "warning",
        fact: `${method} ${path}: ${reason ?? status}`,
      }),
    ),
  ];
}
