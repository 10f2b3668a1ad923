import { runtime } from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { UNKNOWN } from "../definition/properties.js";
import { markedSecrets, received, withSecrets } from "./wire-values.js";

const secret = (value: unknown) => ({ [runtime.specialSigKey]: runtime.specialSecretSig, value });

it("writes unknown values and secrets as the engine's library does", () => {
  const sent = withSecrets({ a: UNKNOWN, b: "hush", c: [UNKNOWN] }, new Set(["b"]));
  expect(sent).toEqual({ a: runtime.unknownValue, b: secret("hush"), c: [runtime.unknownValue] });
});

it("reads what the engine's library writes, secrets at any depth", () => {
  const values = {
    a: secret("hush"),
    b: [{ c: secret(runtime.unknownValue) }],
    d: runtime.unknownValue,
    e: 1,
  };
  expect(received(values)).toEqual({ a: "hush", b: [{ c: UNKNOWN }], d: UNKNOWN, e: 1 });
  expect(markedSecrets(values)).toEqual(["a", "b"]);
});
