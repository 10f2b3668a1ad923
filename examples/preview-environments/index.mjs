// An environment for each branch, through the Automation API:
//
//   node index.mjs up <branch>      creates or updates it, and prints its addresses
//   node index.mjs show <branch>    prints them again, the database's with its password
//   node index.mjs down <branch>    destroys it and removes its stack
//   node index.mjs list             lists the environments
//
// CLOUDSERVICES_BASE_URL and CLOUDSERVICES_API_KEY configure the service; PULUMI_BACKEND_URL and
// PULUMI_CONFIG_PASSPHRASE configure the engine.
import { createHash } from "node:crypto";
import { CommandError, LocalWorkspace, StackNotFoundError } from "@pulumi/pulumi/automation/index.js";
import { environment } from "./environment.mjs";

const projectName = "preview-environments";

// The engine looks for the packages in the folder of this process.
process.chdir(import.meta.dirname);

let hasPrinted = false;

/** @param {string} text */
function print(text) {
  hasPrinted = true;
  process.stderr.write(text);
}

const live = { onOutput: print, onError: print };

/**
 * Returns a stack name that is valid and unique for each branch.
 *
 * @param {string} branch
 */
function stackName(branch) {
  const hash = createHash("sha256").update(branch).digest("hex").slice(0, 8);
  return `${branch.replace(/[^\w.-]+/g, "-").slice(0, 80)}-${hash}`;
}

/** @param {string} branch */
function argumentsFor(branch) {
  return { stackName: stackName(branch), projectName, program: async () => environment(branch) };
}

/** @param {string} branch */
async function up(branch) {
  const stack = await LocalWorkspace.createOrSelectStack(argumentsFor(branch));
  const { outputs } = await stack.up(live);
  for (const [name, { value, secret }] of Object.entries(outputs)) {
    console.log(`${name}\t${secret ? "[secret]" : value}`);
  }
}

/** @param {string} branch */
async function show(branch) {
  const stack = await LocalWorkspace.selectStack(argumentsFor(branch));
  for (const [name, { value }] of Object.entries(await stack.outputs())) console.log(`${name}\t${value}`);
}

/** @param {string} branch */
async function down(branch) {
  const stack = await LocalWorkspace.selectStack(argumentsFor(branch));
  await stack.destroy(live);
  await stack.workspace.removeStack(stack.name);
}

async function list() {
  const inProject = await LocalWorkspace.create({
    projectSettings: { name: projectName, runtime: "nodejs" },
  });
  for (const { name, resourceCount } of await inProject.listStacks()) {
    console.log(`${name}\t${resourceCount ?? 0} resources`);
  }
}

const [command = "", branch] = process.argv.slice(2);
try {
  if (command === "list") await list();
  else if (command === "up" && branch) await up(branch);
  else if (command === "show" && branch) await show(branch);
  else if (command === "down" && branch) await down(branch);
  else {
    console.error("Usage: node index.mjs up <branch> | show <branch> | down <branch> | list");
    process.exitCode = 2;
  }
} catch (error) {
  if (error instanceof StackNotFoundError) console.error(`There is no environment for ${branch}.`);
  else if (!(error instanceof CommandError)) throw error;
  // An `up` or a `destroy` that has started has already printed the error.
  else if (!hasPrinted) console.error(error.message);
  process.exitCode = 1;
}
