import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventually } from "../../test/api-client.js";
import { Supervisor, type SupervisorOptions } from "./supervisor.js";

/** Processes that the test ends and starts. */
function processes() {
  const ends: Array<(how: string) => void> = [];
  const state = { started: 0, stopped: 0, inTheWay: "" };
  const start = async () => {
    if (state.inTheWay !== "") throw new Error(state.inTheWay);
    state.started += 1;
    const ended = new Promise<string>((resolve) => ends.push(resolve));
    const stop = async () => {
      state.stopped += 1;
      ends.at(-1)?.("asked");
    };
    return { ended, stop };
  };
  return { state, start, kill: () => ends.at(-1)?.("SIGKILL") };
}

async function supervised(options: Partial<SupervisorOptions> = {}) {
  const { state, start, kill } = processes();
  const reported: string[] = [];
  const report = (trouble: string) => void reported.push(trouble);
  const supervisor = await Supervisor.start({ name: "It", start, report, ...options });
  return { supervisor, state, kill, reported };
}

test("a process that ends unexpectedly is restarted and reports it", async () => {
  const { supervisor, state, kill, reported } = await supervised();
  expect(supervisor.trouble).toBeUndefined();
  state.inTheWay = "not yet";
  kill();
  await eventually(() => supervisor.trouble).toBe("It ended unexpectedly (SIGKILL) and is restarting.");
  const ready = supervisor.ready();
  state.inTheWay = "";
  await ready;
  expect([supervisor.trouble, state.started, reported.length]).toEqual([undefined, 2, 1]);
});

test("repeated quick exits end the restarts until the process is needed again", async () => {
  const { supervisor, state, kill, reported } = await supervised();
  for (let death = 1; death <= 5; death++) {
    kill();
    await delay(1);
  }
  expect(state.started).toBe(5);
  expect(supervisor.trouble).toBe("It ended unexpectedly (SIGKILL), 5 times in a row.");
  expect(reported.at(-1)).toBe(supervisor.trouble);
  await supervisor.ready();
  expect([supervisor.trouble, state.started]).toEqual([undefined, 6]);
});

test("deaths after a long life are no reason to give up", async () => {
  const { supervisor, state, kill } = await supervised({ quickMs: -1 });
  for (let death = 1; death <= 10; death++) {
    kill();
    await delay(1);
  }
  expect([supervisor.trouble, state.started]).toEqual([undefined, 11]);
});

test("a failing restart is abandoned with its reason", async () => {
  const { supervisor, state, kill } = await supervised({ patienceMs: 1 });
  state.inTheWay = "the port is in use";
  kill();
  await delay(1);
  await expect(supervisor.ready()).rejects.toThrow(/cannot be restarted: the port is in use/);
  expect(supervisor.trouble).toMatch(/the port is in use/);
  state.inTheWay = "";
  await supervisor.ready();
  expect([supervisor.trouble, state.started]).toEqual([undefined, 2]);
});

test("a stopped process stays stopped, even during a restart", async () => {
  const first = await supervised();
  await first.supervisor.stop();
  await delay(1);
  expect(first.state).toMatchObject({ started: 1, stopped: 1 });
  const second = await supervised();
  second.state.inTheWay = "not yet";
  second.kill();
  await delay(1);
  await second.supervisor.stop();
  second.state.inTheWay = "";
  await delay(300);
  expect(second.state).toMatchObject({ started: 1, stopped: 0 });
});
