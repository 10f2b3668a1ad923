/**
 * The text that the engine stores in the state of each resource and passes to its host of dynamic providers. It
 * contains no code of ours, only the path to the installed package: refresh and destroy run the installed code, and the
 * state stays small.
 *
 * The text is a contract with every existing state: changing it updates every resource.
 *
 * It contains only the message that the package cannot contain itself, because the package is what is missing. Only
 * resolving the package is caught: an error while the package loads, such as a missing dependency, is passed on.
 */
export const handlerText = (kind: string): string =>
  "exports.handler=()=>{let d=process.env.PULUMI_CLOUDSERVICES_FROM||process.cwd(),f;try{" +
  'f=require.resolve("pulumi-cloudservices/dynamic",{paths:[d]})' +
  '}catch{throw Object.assign(Error("pulumi-cloudservices is not installed in "+d+": ' +
  'run this where it is, or set PULUMI_CLOUDSERVICES_FROM to that folder"),{stack:""})}' +
  `return require(f).handlers.${kind}}`;
