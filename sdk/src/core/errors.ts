export { CloudServicesError, type ErrorCode, type Outcome } from "./base-error.js";
export * from "./client-errors.js";
export * from "./status-errors.js";
export * from "./transport-errors.js";
export * from "./wait-errors.js";
