// The dynamic form and the native plugin with the same links, interleaved: seconds, CPU seconds of the whole command
// with its plugins, requests, and the size of the state.
import { nativePlugin } from "pulumi-cloudservices/native";
import { ensureEngine } from "../tools/engine/ensure.mjs";
import { ours } from "./contestants.mjs";
import { lifeOf, mediansOf, OPERATIONS, round } from "./life.mjs";

const RESOURCES = Number(process.env["FORMS_RESOURCES"] ?? 100);
const ROUNDS = Number(process.env["FORMS_ROUNDS"] ?? 3);
const FORMS = { dynamic: "pulumi-cloudservices", native: "pulumi-cloudservices/native" };

export const title = `forms: ${RESOURCES} links, medians of ${ROUNDS} (FORMS_RESOURCES, FORMS_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row an operation */
export async function run() {
  const { folder: engineFolder } = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  const live = (form, project) => () => lifeOf({ engineFolder, project, ...ours(RESOURCES, FORMS[form]) });
  const median = await mediansOf(
    { dynamic: live("dynamic", {}), native: live("native", nativePlugin) },
    ROUNDS,
  );
  const compared = (operation, what, digits) => {
    const [dynamic, native] = Object.keys(FORMS).map((form) => median(form, operation, what));
    return [round(dynamic, digits), round(native, digits), round(native / dynamic, 2)];
  };
  return OPERATIONS.map((operation) => {
    const [dynamic, native, ratio] = compared(operation, "seconds", 1);
    const [cpuDynamic, cpuNative, cpuRatio] = compared(operation, "cpu", 1);
    const [stateDynamic, stateNative, stateRatio] = compared(operation, "kilobytes", 0);
    return {
      operation,
      ...{ dynamic, native, ratio },
      "CPU dynamic": cpuDynamic,
      "CPU native": cpuNative,
      "CPU ratio": cpuRatio,
      requests: `${median("dynamic", operation, "requests")} / ${median("native", operation, "requests")}`,
      "state kB": operation === "create" ? `${stateDynamic} / ${stateNative}` : "",
      "state ratio": operation === "create" ? stateRatio : "",
    };
  });
}
