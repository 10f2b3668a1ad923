// Runs any pulumi command on a local stack: npm run pulumi -- stack output, npm run pulumi -- web-app preview --diff
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { ensureEngine } = await import("./engine/ensure.mjs");
const { configure } = await import("./local/start.mjs");
const { isExample, projectNamed, quickstart } = await import("./local/projects.mjs");
const { Pulumi, localStacks, requireStack } = await import("./local/pulumi.mjs");
await runTool(async () => {
  const [first = "", ...rest] = process.argv.slice(2);
  const named = isExample(first);
  const project = named ? projectNamed(first) : quickstart;
  // Without a name, commands such as `stack ls --all` are also for other projects.
  if (named || localStacks().length === 0) requireStack(project);
  const engine = await ensureEngine({ log: (line) => console.error(`• ${line}`) });
  const pulumi = new Pulumi(engine, project);
  if (!named) return pulumi.show(process.argv.slice(2));
  // So that a preview sees a change of the settings file.
  await configure(pulumi);
  return pulumi.show(rest);
});
