import { expect, it } from "vitest";
import { handlerText } from "./handler-text.js";

it("never changes: every state that exists holds it", () => {
  expect(handlerText("Link")).toBe(
    'exports.handler=()=>{try{return require(require.resolve("pulumi-cloudservices/dynamic",{paths:[process.env.PULUMI_CLOUDSERVICES_FROM||"."]})).handlers.Link}catch(e){throw e.code=="MODULE_NOT_FOUND"?Object.assign(Error("pulumi-cloudservices cannot be loaded in "+process.cwd()+": run `npm install pulumi-cloudservices` there, or set PULUMI_CLOUDSERVICES_FROM to a folder that has it"),{stack:""}):e}}',
  );
});
