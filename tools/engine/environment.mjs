import { delimiter, dirname } from "node:path";

/**
 * Returns an environment in which `pulumi` is the given engine and `node` is the current one, without the user's
 * settings for their own stacks.
 *
 * @param {string} folder the engine's
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function engineEnvironment(folder, env) {
  const others = Object.entries(env).filter(([name]) => !/^(PULUMI|CLOUDSERVICES)_/.test(name));
  const { PATH = "" } = env;
  return {
    ...Object.fromEntries(others),
    PATH: [folder, dirname(process.execPath), PATH].join(delimiter),
    PULUMI_SKIP_UPDATE_CHECK: "1",
  };
}
