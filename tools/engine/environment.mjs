import { delimiter, dirname } from "node:path";

/**
 * An environment in which `pulumi` is the given engine, `node` is the one that runs now, and nothing is set that
 * the user has set for stacks of their own.
 *
 * @param {string} folder the engine's
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function engineEnvironment(folder, env) {
  const own = Object.entries(env).filter(([name]) => !/^(PULUMI|CLOUDSERVICES)_/.test(name));
  const { PATH = "" } = env;
  return {
    ...Object.fromEntries(own),
    PATH: [folder, dirname(process.execPath), PATH].join(delimiter),
    PULUMI_SKIP_UPDATE_CHECK: "1",
  };
}
