import { join } from "node:path";
import { cacheFolder, openTemporary } from "./cache.mjs";
import { Go } from "./go.mjs";

/** One Go for several builds, opened at first use: they share downloads and compiled packages. */
export class SharedGo {
  /** @type {Promise<Go> | undefined} */
  #go;
  /** @type {(() => void) | undefined} */
  #dispose;

  /** @param {{ env: NodeJS.ProcessEnv, log: (line: string) => void }} options */
  constructor({ env, log }) {
    this.env = env;
    this.log = log;
  }

  /** @returns {Promise<Go>} */
  open() {
    this.#go ??= this.#open();
    return this.#go;
  }

  async #open() {
    const { path, dispose } = openTemporary(join(cacheFolder(this.env), "go"));
    this.#dispose = dispose;
    return await Go.open({ scratch: join(path, "scratch"), env: this.env, log: this.log });
  }

  /** Removes everything that Go has written, except the programs. */
  close() {
    this.#dispose?.();
  }
}
