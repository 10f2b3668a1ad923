import * as pulumi from "@pulumi/pulumi";
import { isOfType } from "../classes/both-forms.js";
import type { Settings } from "../kernel/settings/settings.js";
import { VERSION } from "../kernel/stack/version.js";
import { requirePlugin } from "./plugin-set-up.js";

/**
 * The settings of one account. They replace the stack's configuration; where one is absent, its environment variable
 * counts, if it has one.
 */
export type ProviderArgs = {
  [S in keyof Settings]?: pulumi.Input<Exclude<Settings[S], undefined>> | undefined;
};

/**
 * One account. Resources and functions use it through the option `provider`; without one, they use the account of the
 * stack's configuration. The engine runs a process of the plugin for each provider.
 *
 * @example
 * ```ts
 * const eu = new Provider("eu", { baseUrl: "https://eu.example.com/v1", apiKey: config.requireSecret("euKey") });
 * new Link("docs", { url: "https://example.com/docs" }, { provider: eu });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * Declares an account.
   *
   * @param name - The name in the program, unique among the providers.
   * @param args - The settings.
   * @param opts - The engine's options.
   */
  constructor(name: string, args: ProviderArgs = {}, opts: pulumi.ResourceOptions = {}) {
    requirePlugin();
    super("cloudservices", name, propertiesOf(args), { version: VERSION, ...opts });
  }

  /** Returns whether a value is such a provider, even from another copy of this package. */
  static override isInstance(value: unknown): value is Provider {
    return isOfType(value, "pulumi:providers:cloudservices");
  }
}

/** The engine carries the arguments of providers as strings: others are JSON. */
function propertiesOf({ apiKey, ...args }: ProviderArgs): pulumi.Inputs {
  const properties: pulumi.Inputs = {};
  for (const [name, value] of Object.entries(args)) {
    if (value !== undefined) properties[name] = asText(value);
  }
  if (apiKey !== undefined) properties["apiKey"] = pulumi.secret(apiKey);
  return properties;
}

const asText = (value: pulumi.Input<string | number | boolean | readonly string[]>): pulumi.Output<string> =>
  pulumi.output(value).apply((known) => (typeof known === "string" ? known : JSON.stringify(known)));
