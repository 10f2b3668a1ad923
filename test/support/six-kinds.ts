import { BackupSchedule, Database, Inbox, Link, VpsInstance, Webhook } from "pulumi-cloudservices";

const region = "eu-central-1";

/** A program with one resource of each of the six kinds, and the inputs that a test varies. */
export const sixKinds =
  (
    vary: {
      /** The link's target. Default: the server. */
      url?: string;
      title?: string;
      plan?: string;
      hour?: number;
      events?: string[];
      region?: string;
      ttl?: number;
    } = {},
  ) =>
  async () => {
    const web = new VpsInstance("web", {
      plan: vary.plan ?? "vps-micro-1",
      region: vary.region ?? region,
      image: "debian-12",
      allowStopping: true,
    });
    const link = new Link("home", {
      url: vary.url ?? web.ipv4.apply((ip) => `http://${ip}/`),
      title: vary.title ?? "Home",
    });
    const orders = new Database("orders", {
      engine: "postgresql",
      version: "16",
      plan: "db-starter-1",
      region,
    });
    new BackupSchedule("nightly", {
      databaseId: orders.id,
      frequency: "daily",
      hourUtc: vary.hour ?? 3,
      retentionDays: 7,
    });
    new Webhook("backups", {
      url: "https://hooks.example.com/backups",
      events: vary.events ?? ["database.backup.completed"],
      secret: "a-signing-secret",
    });
    const inbox = new Inbox("signup", { ttlMinutes: vary.ttl ?? 120 });
    return {
      shortUrl: link.shortUrl,
      ipv4: web.ipv4,
      host: orders.host,
      uri: orders.connectionUri,
      mail: inbox.emailAddress,
    };
  };
