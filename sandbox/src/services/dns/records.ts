import type { Answer } from "dns-packet";
import { normalizeName, recordTypes } from "./zone.js";

/** A record as `/utils/dns` returns it. */
export interface DnsRecord {
  readonly name: string;
  readonly type: string;
  /** Seconds. */
  readonly ttl: number;
  /** In zone file form: an address, a name, `10 mx.example.com`, or text without quotes. */
  readonly data: string;
}

/** Converts a name server's record to zone file form; returns `undefined` for types that cannot be queried. */
export function toRecord(answer: Answer): DnsRecord | undefined {
  if (answer.type === "OPT" || ("class" in answer && answer.class !== "IN")) return undefined;
  const data = recordData(answer);
  if (data === undefined || !recordTypes.some((type) => type === answer.type)) return undefined;
  return { name: normalizeName(answer.name), type: answer.type, ttl: answer.ttl ?? 0, data };
}

function recordData(answer: Exclude<Answer, { type: "OPT" }>): string | undefined {
  switch (answer.type) {
    case "A":
    case "AAAA":
      return answer.data;
    case "CNAME":
    case "NS":
    case "PTR":
      return normalizeName(answer.data);
    case "MX":
      return `${answer.data.preference ?? 0} ${nameOrRoot(answer.data.exchange)}`;
    case "SRV": {
      const { priority = 0, weight = 0, port, target } = answer.data;
      return `${priority} ${weight} ${port} ${nameOrRoot(target)}`;
    }
    case "SOA": {
      const { mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 } = answer.data;
      return `${nameOrRoot(mname)} ${nameOrRoot(rname)} ${serial} ${refresh} ${retry} ${expire} ${minimum}`;
    }
    case "CAA":
      return `${answer.data.flags ?? 0} ${answer.data.tag} "${answer.data.value}"`;
    case "TXT":
      return [answer.data].flat().map(String).join("");
    default:
      return undefined;
  }
}

/** Returns the name, or `.` for none, as in a null MX (RFC 7505). */
function nameOrRoot(name: string): string {
  return normalizeName(name) || ".";
}
