/** Where the hooks come together: their export is permanent, because every state asks for it. */
export const HANDLERS = "provider/dist/dynamic.js";

/** The definitions of the kinds that have a resource at the service, for code that runs in `HANDLERS`. */
export const KINDS = [
  ["link", "link"],
  ["database", "database"],
  ["vps-instance", "vpsInstance"],
  ["inbox", "inbox"],
  ["webhook", "webhook"],
]
  .map(([file, name]) => `require("./resources/${file}.js").${name}`)
  .join(", ");
