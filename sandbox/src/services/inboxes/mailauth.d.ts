declare module "mailauth/lib/dkim/verify.js" {
  type Resolver = (name: string, type: string) => Promise<unknown[]>;
  export function dkimVerify(
    message: Buffer,
    options: { resolver: Resolver },
  ): Promise<{ results: Array<{ status: { result: string } }> }>;
}

declare module "mailauth/lib/spf/index.js" {
  type Resolver = (name: string, type: string) => Promise<unknown[]>;
  export function spf(options: {
    sender: string;
    ip: string;
    helo: string;
    mta: string;
    resolver: Resolver;
  }): Promise<{ status: { result: string } } | false>;
}
