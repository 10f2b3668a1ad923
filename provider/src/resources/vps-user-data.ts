import type { Planned } from "../kernel/definition/kind.js";
import type { Diagnostic } from "../kernel/diagnostics/diagnostic.js";

/*
 * The rules about the script that runs at a server's first start.
 */

interface Scripted {
  userData?: string | undefined;
}

/** Warns that a changed script does not run. A replacement would delete the server's disk, so it is opt-in. */
export function userDataNotes(planned: Planned<Scripted>): string[] {
  const [before, after] = [planned.before("userData"), planned.after("userData")];
  if (planned.creates || after === undefined || after === before) return [];
  return [
    "the changed userData is stored and does not run before the next rebuild of the server. To run it on a new server, " +
      "set replaceOnUserDataChange to true; to run it on this one, rebuild it with a VpsAction (its disk is lost).",
  ];
}

export function userDataRules(planned: Planned<Scripted>): Diagnostic[] {
  if (planned.creates || planned.before("userData") === undefined || !planned.removes("userData")) return [];
  return [
    {
      code: "CHANGE_NOT_ALLOWED",
      summary: "userData cannot be removed from a server",
      fixes: [{ when: "for a new server without it", line: "replaceOnUserDataChange: true" }],
    },
  ];
}
