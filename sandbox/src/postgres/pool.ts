import type { Backend, Identity } from "./backend.js";

interface Waiting {
  readonly client: object;
  readonly resolve: (backend: Backend) => void;
  readonly reject: (error: unknown) => void;
}

/** The server connections of one database, fewer than its clients. */
export class Pool {
  readonly #identity: Identity;
  readonly #size: number;
  readonly #open: (identity: Identity) => Promise<Backend>;
  readonly #idle: Backend[] = [];
  readonly #waiting: Waiting[] = [];
  #count = 0;
  #isClosed = false;
  #greeting: readonly Buffer[] | undefined;

  constructor(identity: Identity, size: number, open: (identity: Identity) => Promise<Backend>) {
    this.#identity = identity;
    this.#size = size;
    this.#open = open;
  }

  /** How many server connections there are. */
  get count(): number {
    return this.#count;
  }

  /** What the server says about itself to a new client; asked for once. */
  async greeting(client: object): Promise<readonly Buffer[]> {
    if (!this.#greeting) {
      const backend = await this.acquire(client);
      this.#greeting = backend.parameters;
      this.release(backend);
    }
    return this.#greeting;
  }

  /** A connection for one transaction of this client; waits while all are in use. */
  async acquire(client: object): Promise<Backend> {
    const backend = await this.#find(client);
    try {
      if (backend.lastClient !== undefined && backend.lastClient !== client) await backend.clean();
    } catch (error) {
      this.release(backend);
      throw error;
    }
    backend.lastClient = client;
    return backend;
  }

  release(backend: Backend): void {
    backend.release();
    if (backend.isClosed || this.#isClosed) {
      backend.destroy();
      this.#count -= 1;
      this.#replace();
      return;
    }
    const next = this.#waiting.shift();
    if (next) next.resolve(backend);
    else this.#keep(backend);
  }

  close(): void {
    this.#isClosed = true;
    for (const backend of this.#idle.splice(0)) backend.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the pool is closed"));
  }

  #find(client: object): Promise<Backend> | Backend {
    const own = this.#idle.findIndex((backend) => backend.lastClient === client);
    const [found] = own === -1 ? this.#idle.splice(-1, 1) : this.#idle.splice(own, 1);
    if (found) {
      found.release();
      return found;
    }
    if (this.#count < this.#size) return this.#make();
    return new Promise((resolve, reject) => this.#waiting.push({ client, resolve, reject }));
  }

  async #make(): Promise<Backend> {
    this.#count += 1;
    try {
      return await this.#open(this.#identity);
    } catch (error) {
      this.#count -= 1;
      this.#replace();
      throw error;
    }
  }

  #keep(backend: Backend): void {
    backend.onClose = () => {
      const at = this.#idle.indexOf(backend);
      if (at === -1) return;
      this.#idle.splice(at, 1);
      this.#count -= 1;
    };
    this.#idle.push(backend);
  }

  /** A connection broke, or was not made, while others waited for one. */
  #replace(): void {
    const next = this.#waiting.shift();
    if (next) this.#make().then(next.resolve, next.reject);
  }
}
