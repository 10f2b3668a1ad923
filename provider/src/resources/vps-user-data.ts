import type { CheckFailure, Planned } from "../kernel/definition/kind.js";

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

export function userDataRules(planned: Planned<Scripted>): CheckFailure[] {
  if (planned.creates || planned.before("userData") === undefined || !planned.removes("userData")) return [];
  // The engine would print the value of a property that is named here.
  const reason =
    "userData cannot be removed from a server. Set replaceOnUserDataChange to true to replace it with one without it";
  return [{ property: "", reason }];
}
