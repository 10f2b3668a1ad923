/** The part that is used here. Node has it, but its types leave it to browsers' types. */
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
