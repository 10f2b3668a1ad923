// Runs any pulumi command on a local stack: npm run pulumi -- stack output, npm run pulumi -- web-app preview --diff
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { ensureEngine } = await import("./engine/ensure.mjs");
const { configure } = await import("./local/start.mjs");
const { isExample, projectNamed } = await import("./local/projects.mjs");
const { Pulumi, stackExists } = await import("./local/pulumi.mjs");
await runTool(async () => {
  const engine = await ensureEngine({ log: (line) => console.error(`• ${line}`) });
  const [first = "", ...rest] = process.argv.slice(2);
  if (!isExample(first)) return new Pulumi(engine).show(process.argv.slice(2));
  const project = projectNamed(first);
  const pulumi = new Pulumi(engine, project);
  // So that a preview sees a change of the settings file.
  if (stackExists(project)) await configure(pulumi);
  return pulumi.show(rest);
});
