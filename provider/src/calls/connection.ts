import * as pulumi from "@pulumi/pulumi";
import type { CloudServices } from "cloudservices-sdk";
import { readSettings } from "../kernel/settings/read-settings.js";
import type { Settings } from "../kernel/settings/settings.js";
import { clientOf } from "../kernel/stack/client.js";

interface Connection {
  readonly settings: Settings;
  readonly api: CloudServices;
}

const connections = new Map<string, Connection>();

/**
 * Returns the client of the stack whose program is running. There is one for each configuration, so that all functions
 * of a program share its limiter and connections, and two stacks in one process never share a key.
 *
 * @throws ConfigurationError that names every invalid setting.
 */
export function connect(): Connection {
  const config = new pulumi.Config("cloudservices");
  const settings = readSettings((key) => config.get(key.slice(key.indexOf(":") + 1)), process.env);
  const configuration = JSON.stringify(settings);
  const connection = connections.get(configuration) ?? { settings, api: clientOf(settings) };
  connections.set(configuration, connection);
  return connection;
}
