import type { Case } from "./case/case.js";
import { Engine } from "./engine/engine.js";
import { type Generation, openGeneration } from "./host/generation.js";
import { openEngineLog, ProviderClient } from "./provider-client.js";
import { openService } from "./service/sandboxes.js";
import type { Victim } from "./service/service.js";
import { VirtualTime } from "./time.js";
import type { CommandOutput, World } from "./world.js";

/** Opens the model of the engine, a provider in this process, and virtual time. */
export async function openFast(
  { plan, mutant }: Pick<Case, "plan" | "mutant">,
  output: CommandOutput,
): Promise<World> {
  const time = new VirtualTime();
  const service = await openService(plan.mode, time);
  const log = await openEngineLog(({ urn, text, ephemeral }) =>
    output.print({ kind: ephemeral ? "status" : "warning", ...(urn && { urn }), text }),
  );
  let generation: Generation | undefined;

  async function start(config: Readonly<Record<string, string>>) {
    service.process += 1;
    const process = await openGeneration({
      time,
      engine: log.address,
      print: (kind, text) => output.print({ kind, text }),
      ...(mutant && { patch: mutant }),
    });
    generation = process;
    const client = new ProviderClient(process.port);
    await client.configure(config);
    return { client, process };
  }

  const engine = new Engine(start, output);

  function kill(whom: Victim): void {
    const killed = generation;
    if (whom === "provider") {
      killed?.kill();
      return;
    }
    if (whom === "sandbox") throw new Error("the sandbox of a fast run is no process of its own");
    engine.kill();
    // The provider exits soon after its engine.
    setTimeout(() => killed?.kill(), 20);
  }

  return {
    time,
    service,
    engine,
    settings: {},
    kill,
    files: () => [],
    async close() {
      generation?.kill();
      log.close();
      await service.close();
      time.stop();
    },
  };
}
