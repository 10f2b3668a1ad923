import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync } from "node:fs";
import type { Check } from "./check.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** The channel on which undici reports each tunnel that a proxy has opened. */
const CHANNEL = "undici:proxy:connected";

/** Watches whether requests go through a proxy, from now on. */
export function watchProxy(): { end(): boolean } {
  let isUsed = false;
  const note = () => {
    isUsed = true;
  };
  subscribe(CHANNEL, note);
  return {
    end() {
      unsubscribe(CHANNEL, note);
      return isUsed;
    },
  };
}

/**
 * Checks the proxies and certificates of the environment.
 *
 * @param isUsed - Whether the requests to the service went through a proxy.
 */
export function proxyChecks(environment: Environment, isUsed: boolean): Check[] {
  const set = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].filter((name) => environment[name]);
  const checks: Check[] = [];
  const lower = set.filter((name) => name === name.toLowerCase());
  const lowerExceptions = environment["no_proxy"];
  const excepted = (lowerExceptions ?? "").split(/[,\s]+/);
  if (set.length === 0) checks.push({ name: "proxy", status: "ok", fact: "none" });
  else if (lower.length > 0 && !excepted.includes("127.0.0.1")) {
    checks.push({
      name: "proxy",
      status: "failed",
      fact: `${lower.join(", ")} applies to Pulumi's own connections on this machine too`,
      // The lower-case variable replaces the other one, so it must repeat what that contains.
      fix: `export no_proxy="127.0.0.1,localhost${lowerExceptions ? ",$no_proxy" : `\${NO_PROXY:+,$NO_PROXY}`}"`,
    });
  } else {
    const use = isUsed ? "the service is reached through it" : "no request to the service went through it";
    checks.push({ name: "proxy", status: "ok", fact: `${set.join(", ")}: ${use}` });
  }
  const authorities = environment["NODE_EXTRA_CA_CERTS"];
  // Node takes an empty variable for an unset one.
  if (authorities && !existsSync(authorities)) {
    checks.push({
      name: "certificates",
      status: "failed",
      fact: "NODE_EXTRA_CA_CERTS names a file that does not exist",
      fix: "set it to the file with your authority's certificate",
    });
  }
  return checks;
}
