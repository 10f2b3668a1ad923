// Runs any pulumi command on a local stack: npm run pulumi -- stack output, npm run pulumi -- web-app preview --diff
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { ensureEngine } = await import("./engine/ensure.mjs");
const { lockStack } = await import("./local/start.mjs");
const { isExample, projectNamed, quickstart } = await import("./local/projects.mjs");
const { Pulumi, localStacks, requireStack } = await import("./local/pulumi.mjs");
const { settingsChanged, takeSettings } = await import("./local/settings.mjs");
await runTool(async () => {
  const [first = "", ...rest] = process.argv.slice(2);
  const named = isExample(first);
  const project = named ? projectNamed(first) : quickstart;
  // Without a name, commands such as `stack ls --all` are also for other projects.
  if (named || localStacks().length === 0) requireStack(project);
  // Standard output is the command's.
  const log = (/** @type {string} */ line) => console.error(`• ${line}`);
  const engine = await ensureEngine({ log });
  const pulumi = new Pulumi(engine, project);
  if (!named) return pulumi.show(process.argv.slice(2));
  // So that a preview sees a change of the settings file.
  if (settingsChanged(project)) {
    const release = await lockStack(log);
    try {
      await takeSettings(pulumi, log);
    } finally {
      release();
    }
  }
  return pulumi.show(rest);
});
