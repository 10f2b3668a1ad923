/**
 * The text that the engine keeps in the state of every resource and hands to its host of dynamic providers. It
 * holds no code of ours, only the way to the installed package, so that refresh and destroy run today's code and
 * the state stays small.
 *
 * The text is a contract with every state that exists: a changed letter is an update of every resource.
 */
export const handlerText = (kind: string): string =>
  'exports.handler=()=>{try{return require(require.resolve("pulumi-cloudservices/dynamic",' +
  `{paths:[process.env.PULUMI_CLOUDSERVICES_FROM||"."]})).handlers.${kind}}` +
  'catch(e){throw e.code=="MODULE_NOT_FOUND"?Object.assign(Error("pulumi-cloudservices cannot be loaded in "+process.cwd()+' +
  '": run `npm install pulumi-cloudservices` there, or set PULUMI_CLOUDSERVICES_FROM to a folder that has it"),{stack:""}):e}}';
