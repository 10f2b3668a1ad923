/** A value of a stack's configuration; a key without a namespace belongs to the project. */
type ConfigValue = string | { readonly secret: string };
export type Config = Readonly<Record<string, ConfigValue>>;

/** The part of a running sandbox that a stack needs. */
export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Returns the configuration of a stack: the address of its service, and the test's own settings. */
export function configOf(options: {
  readonly sandbox?: Service | undefined;
  readonly config?: Config | undefined;
}): Config {
  const { sandbox, config } = options;
  return {
    ...(sandbox && {
      "cloudservices:baseUrl": sandbox.baseUrl,
      "cloudservices:apiKey": { secret: sandbox.apiKey },
    }),
    ...config,
  };
}
