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
    kill("provider-before", "before", (hop) => hop.kill("provider")),
    kill("provider-after-commit", "after", async (hop) => {
      await hop.forward();
      hop.kill("provider");
    }),
    kill("provider-while-reading", "after", async (hop) => {
      await hop.sendCut(await hop.forward(), 0.3);
      hop.kill("provider");
    }),
    kill("engine-after-commit", "after", async (hop) => {
      await hop.forward();
      hop.kill("engine");
    }),
    // What the step has made reaches the engine, and is never written.
    kill("engine-before-checkpoint", "after", async (hop) => {
      const answer = await hop.forward();
      hop.kill("engine");
      hop.send(answer);
    }),
  ];
}
