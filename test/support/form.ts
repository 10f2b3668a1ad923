import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The form of the provider through which a project of tests runs. */
    form: "dynamic" | "native";
  }
}

/** Whether the tests run through the native plugin. */
export const isNative = inject("form") === "native";
