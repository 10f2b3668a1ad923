import type { Strike } from "../service/service.js";
import type { Fault } from "./fault.js";

export function kills(): Fault[] {
  const kill = (name: string, when: Fault["when"], strike: Strike): Fault => ({
    name: `kill-${name}`,
    class: "kill",
    span: "once",
    when,
    strike,
  });
  return [
    kill("provider-before", "before", (request) => request.kill("provider")),
    kill("provider-after-commit", "after", async (request) => {
      await request.forward();
      request.kill("provider");
    }),
    kill("provider-while-reading", "after", async (request) => {
      await request.sendPartly(await request.forward(), 0.3);
      request.kill("provider");
    }),
    kill("engine-after-commit", "after", async (request) => {
      await request.forward();
      request.kill("engine");
    }),
    // The response reaches the engine, but the checkpoint is never written.
    kill("engine-before-checkpoint", "after", async (request) => {
      const response = await request.forward();
      request.kill("engine");
      request.send(response);
    }),
  ];
}
