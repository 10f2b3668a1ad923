import * as pulumi from "@pulumi/pulumi";
import { Database, Link, VpsInstance, Webhook } from "pulumi-cloudservices";

export interface WebAppArgs {
  /** The app is at `app.<domain>`, its short links are at `go.<domain>`. */
  readonly domain: string;
  readonly region: string;
  readonly serverPlan: string;
  readonly databasePlan: string;
  /** How many days backups are kept. The database's plan sets the maximum. */
  readonly backupDays: number;
  /** Signs the notifications about backups. */
  readonly webhookSecret: pulumi.Input<string>;
  /** Where `receiver.mjs` listens. Default: `/events` of the app. */
  readonly receiver?: string | undefined;
}

/** A server with a database that is backed up every night, and a short link to it. */
export class WebApp extends pulumi.ComponentResource {
  readonly url: string;
  readonly database: Database;
  readonly server: VpsInstance;
  readonly link: Link;

  constructor(name: string, args: WebAppArgs, opts?: pulumi.ComponentResourceOptions) {
    super("example:index:WebApp", name, {}, opts);
    const { domain, region, webhookSecret } = args;
    const parent = { parent: this };
    this.url = `https://app.${domain}/`;

    this.database = new Database(
      `${name}-data`,
      { engine: "postgresql", version: "16", plan: args.databasePlan, region, enableConnectionPool: true },
      parent,
    );
    this.database.backupSchedule(
      `${name}-nightly`,
      { frequency: "daily", hourUtc: 3, retentionDays: args.backupDays, notifyOnComplete: true },
      parent,
    );
    new Webhook(
      `${name}-backups`,
      {
        url: args.receiver ?? `${this.url}events`,
        events: ["database.backup.completed", "database.backup.failed"],
        secret: webhookSecret,
      },
      parent,
    );
    this.server = new VpsInstance(
      `${name}-server`,
      {
        plan: args.serverPlan,
        region,
        image: "debian-12",
        userData: userData({ DATABASE_URL: this.database.poolUri, WEBHOOK_SECRET: webhookSecret }),
      },
      parent,
    );
    this.link = new Link(`${name}-link`, { url: this.url, domain: `go.${domain}`, slug: "start" }, parent);

    this.registerOutputs({ url: this.url });
  }
}

/** Returns a cloud-init file that writes the app's environment on the first boot. It is a secret if a value is one. */
function userData(environment: Record<string, pulumi.Input<string | undefined>>): pulumi.Output<string> {
  return pulumi.output(environment).apply((values) => {
    const lines = Object.entries(values).map(([key, value]) => {
      if (value === undefined) throw new Error(`The server's environment has no ${key}.`);
      return `      ${key}=${JSON.stringify(value)}`;
    });
    return `#cloud-config
write_files:
  - path: /etc/web-app.env
    permissions: "0600"
    content: |
${lines.join("\n")}
`;
  });
}
