import { expect, it } from "vitest";
import { kind, outputsFor, valid } from "../../test-support/plan.js";
import { readState } from "../state/resource-state.js";
import { withDeclared } from "./import.js";

const { region, ...read } = valid;

it("believes a required input that the import could not read", () => {
  const outputs = outputsFor(read);
  const imported = { ...outputs, __state: { ...readState(outputs), unread: ["region"] } };
  const { outputs: declared, believed } = withDeclared(kind, imported, read, valid);
  expect(believed).toEqual(["region"]);
  expect(declared).toMatchObject({ region });
});

it("believes nothing of a resource that was adopted and not updated", () => {
  const outputs = outputsFor(read);
  expect(withDeclared(kind, outputs, read, valid)).toEqual({ outputs, believed: [] });
});
