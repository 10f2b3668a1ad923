/** The module of all hooks. Its export is permanent, because every state refers to it. */
export const HANDLERS = "provider/dist/dynamic.js";

/** The definitions of the kinds with a resource at the service, for code that runs in `HANDLERS`. */
export const KINDS = [
  ["link", "link"],
  ["database", "database"],
  ["vps-instance", "vpsInstance"],
  ["inbox", "inbox"],
  ["webhook", "webhook"],
]
  .map(([file, name]) => `require("./resources/${file}.js").${name}`)
  .join(", ");
