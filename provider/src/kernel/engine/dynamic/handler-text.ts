/**
 * The text that the engine stores in the state of each resource and passes to its host of dynamic providers. It
 * contains no code of ours, only the name of the installed package: refresh and destroy run the installed code, and the
 * state stays small. The host resolves it from the folder in which the engine starts its plugins, like its own package.
 *
 * The text is a contract with every existing state: changing it updates every resource.
 *
 * It is in the inputs and in the outputs of each resource, so it has no words of its own for a missing package, and no
 * quotes that JSON escapes.
 */
export const handlerText = (kind: string): string =>
  `exports.handler=()=>require('pulumi-cloudservices/dynamic').handlers.${kind}`;
