import { separateConnections } from "../kernel/engine/separate-connections.js";

export { mocks } from "./mocks.js";
export {
  type TestOperation,
  type TestOutcome,
  type TestStack,
  type TestStackOptions,
  testStack,
} from "./stack.js";
export { summaryOf } from "./summary.js";

separateConnections();
