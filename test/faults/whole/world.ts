import { openFolder } from "../../support/folder.js";
import type { Case } from "../case/case.js";
import { openProxy } from "../service/proxy.js";
import { openService } from "../service/sandboxes.js";
import type { CommandOutput, World } from "../world.js";
import { RealTime } from "./real-time.js";
import { SandboxProcess } from "./sandbox-process.js";
import { WholeStack } from "./stack.js";

/** Short intervals, so that a case takes seconds. */
const settings = {
  "cloudservices:requestTimeout": "3000",
  "cloudservices:pollInterval": "200",
  "cloudservices:maxRetries": "2",
};

/** Opens the real engine, with the provider in its own process; the service too, if the case kills it. */
export async function openWhole({ plan, strikes }: Case, output: CommandOutput): Promise<World> {
  const time = new RealTime();
  const { service, look, killSandbox } = strikes.some(({ fault }) => fault.name.startsWith("kill-sandbox"))
    ? await mortal()
    : { service: await openService(plan.mode, time), look: async () => undefined, killSandbox: undefined };

  async function mortal() {
    const folder = openFolder();
    const sandbox = await SandboxProcess.open(plan.mode, folder.path);
    const close = async () => {
      await sandbox.close();
      await folder.remove();
    };
    return {
      service: await openProxy(sandbox, time, close),
      look: () => sandbox.look(),
      killSandbox: () => sandbox.kill(),
    };
  }

  const stack = await WholeStack.open(
    output,
    () => {
      service.process += 1;
    },
    look,
  );
  return {
    time,
    service,
    engine: stack,
    settings,
    kill(whom) {
      if (whom !== "sandbox") stack.kill(whom);
      else if (killSandbox) killSandbox();
      else throw new Error("this sandbox is no process of its own");
    },
    files: () => stack.files(),
    async close() {
      await stack.close();
      await service.close();
    },
  };
}
