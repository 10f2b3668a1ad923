import type { Context } from "../../core/context.js";
import type { IpDirectory } from "./information.js";

export interface IpContext extends Context {
  readonly ipDirectory: IpDirectory;
}
