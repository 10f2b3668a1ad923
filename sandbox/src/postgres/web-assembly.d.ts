/** As much of it as is used here: Node has it, and the types of Node leave it to those of browsers. */
declare namespace WebAssembly {
  class Module {
    private constructor();
  }
  class Memory {
    private constructor();
    readonly buffer: ArrayBuffer;
  }
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(
    module: Module,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ): Promise<Instance>;
}
