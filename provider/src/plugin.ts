import { serve } from "./kernel/engine/native/serve.js";

/*
 * The process of the native plugin. Only the engine's protocol is loaded before the port is printed.
 */

serve(async (engine) => {
  const { provider } = await import("./plugin-provider.js");
  const { serviceOf } = await import("./kernel/engine/native/service.js");
  return serviceOf(provider, engine);
});
