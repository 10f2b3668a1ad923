import { serve } from "./kernel/engine/native/serve.js";

/*
 * The process of the native plugin. Only the engine's protocol is loaded before the port is printed.
 */

serve(async (engine) => {
  // Not `import()`, which the faults campaign cannot intercept.
  const { provider }: typeof import("./plugin-provider.js") = require("./plugin-provider.js");
  const {
    serviceOf,
  }: typeof import("./kernel/engine/native/service.js") = require("./kernel/engine/native/service.js");
  return serviceOf(provider, engine);
});
