/**
 * The text that the engine stores in the state of each resource and passes to its host of dynamic providers. It
 * contains no code of ours, only the path to the installed package: refresh and destroy run the installed code, and the
 * state stays small.
 *
 * The text is a contract with every existing state: changing it updates every resource.
 *
 * It is in the inputs and in the outputs of each resource, so it has no words of its own for a missing package.
 */
export const handlerText = (kind: string): string =>
  'exports.handler=()=>require(require.resolve("pulumi-cloudservices/dynamic",' +
  `{paths:[process.env.PULUMI_CLOUDSERVICES_FROM||"."]})).handlers.${kind}`;
