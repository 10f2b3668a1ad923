import * as dynamic from "pulumi-cloudservices";
import * as native from "pulumi-cloudservices/native";
import { expect, it } from "vitest";
import { randomFrom } from "../../sandbox/test/random.js";
import { openNativeStack } from "../support/native.js";
import { type RandomKind, RandomProgram } from "../support/random-program.js";
import { declaring, openTestStack, takeRequests } from "../support/test-stack.js";

/*
 * The same random changes through both forms of the provider: every round plans the same steps, and sends the same
 * requests that change something.
 */

const ROUNDS = 4;
const CHANGES = 10;

type Classes = Readonly<Record<RandomKind, new (...args: never[]) => unknown>>;
type Opened = Awaited<ReturnType<typeof openTestStack>>;

/** What one round plans and sends, without ids. */
interface Round {
  readonly steps: readonly string[];
  readonly requests: readonly string[];
}

/** Runs the rounds of a seed with the classes of one form. */
async function roundsOf(
  classes: Classes,
  seed: number,
  open: (program: () => Promise<void>) => Promise<Opened>,
): Promise<Round[]> {
  const program = new RandomProgram(randomFrom(seed));
  const { sandbox, stack } = await open(async () => {
    for (const { kind, name, inputs, formerNames } of program.resources)
      declaring(classes[kind])(name, inputs, { aliases: formerNames.map((former) => ({ name: former })) });
  });
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    for (let number = 0; number < CHANGES; number++) program.change();
    const { events } = await stack.preview();
    const steps = events.flatMap(({ resourcePreEvent }) => {
      const { op, urn } = resourcePreEvent?.metadata ?? {};
      return urn === undefined || urn.includes("::pulumi:") ? [] : [`${op} ${urn.split("::").at(-1)}`];
    });
    takeRequests(sandbox);
    await stack.up();
    const requests = takeRequests(sandbox)
      .filter((request) => !request.startsWith("GET "))
      .map((request) => request.replaceAll(/\/[a-z]+_\w+/g, "/:id"));
    rounds.push({ steps: steps.sort(), requests: requests.sort() });
  }
  await stack.destroy();
  expect(sandbox.resources()).toEqual([]);
  return rounds;
}

it("random program changes have the same plans and requests in both forms", async () => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
  console.info(`both forms: SEED=${seed}`);
  const inDynamicForm = await roundsOf(dynamic, seed, openTestStack);
  const inNativeForm = await roundsOf(native, seed, openNativeStack);
  expect(inNativeForm, `SEED=${seed}`).toEqual(inDynamicForm);
  expect(inNativeForm.flatMap(({ steps }) => steps)).not.toEqual([]);
});
