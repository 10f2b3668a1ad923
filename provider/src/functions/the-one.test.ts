import { describe, expect, it } from "vitest";
import { ResourceError } from "../kernel/diagnostics/errors.js";
import { requireAllowed } from "./allowed.js";
import { functions } from "./index.js";
import { theOne } from "./the-one.js";

interface Item {
  readonly id: string;
  readonly name?: string;
}

async function* listOf(...items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

const find = (wanted: string, ...items: Item[]) =>
  theOne(listOf(...items), {
    noun: "database",
    by: "name",
    wanted,
    nameOf: ({ name }) => name,
    idOf: ({ id }) => id,
  });

const refusalOf = async (work: () => unknown): Promise<ResourceError> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof ResourceError) return error;
    throw error;
  }
  throw new Error("It was expected to fail, and did not.");
};

describe("a lookup by name", () => {
  const orders = { id: "db_1", name: "orders" };

  it("returns the only item with exactly this name, wherever it is in the list", async () => {
    expect(await find("orders", { id: "db_0" }, { id: "db_2", name: "Orders" }, orders)).toBe(orders);
  });

  it("fails when there is none, and suggests a similar name", async () => {
    const { diagnostic } = await refusalOf(() => find("order", orders, { id: "db_2", name: "billing" }));
    expect(diagnostic).toMatchObject({ code: "LOOKUP_NOT_FOUND", fixes: [{ line: 'name: "orders"' }] });
    expect(await refusalOf(() => find("orders"))).toMatchObject({ diagnostic: { fixes: [] } });
  });

  it("fails when there are several, and names their ids", async () => {
    const { message } = await refusalOf(() => find("orders", orders, { id: "db_2", name: "orders" }));
    expect(message).toContain('2 databases have the name "orders" [LOOKUP_AMBIGUOUS]');
    expect(message).toContain("db_1, db_2");
  });
});

it("only functions whose requests the specification shows run with api: documented", async () => {
  const refused: string[] = [];
  for (const definition of Object.values(functions)) {
    requireAllowed(definition, "conventional");
    try {
      requireAllowed(definition, "documented");
    } catch (error) {
      expect(error).toMatchObject({ diagnostic: { code: "LOOKUP_UNSUPPORTED" } });
      refused.push(definition.name);
    }
  }
  expect(refused).toEqual([
    "getBackupSchedule",
    "getDatabase",
    "getDatabases",
    "getInboxes",
    "getVpsInstance",
    "getVpsInstances",
    "getWebhooks",
  ]);
});
