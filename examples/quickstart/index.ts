import * as pulumi from "@pulumi/pulumi";
import { BackupSchedule, Database, Inbox, Link, VpsInstance, Webhook } from "pulumi-cloudservices";

const config = new pulumi.Config();
const region = "eu-central-1";

// A server, and a short link to it with a passcode.
const web = new VpsInstance("web", { plan: "vps-micro-1", region, image: "debian-12" });
const home = new Link("home", {
  url: pulumi.interpolate`http://${web.ipv4}/`,
  title: "Home",
  passcode: config.requireSecret("passcode"),
});

// A database, a nightly backup, and a notification about each backup.
const orders = new Database("orders", { engine: "postgresql", version: "16", plan: "db-starter-1", region });
new BackupSchedule("nightly", {
  databaseId: orders.id,
  frequency: "daily",
  hourUtc: 3,
  retentionDays: 7,
  notifyOnComplete: true,
});
new Webhook("backups", {
  url: "https://hooks.example.com/backups",
  events: ["database.backup.completed", "database.backup.failed"],
  secret: config.requireSecret("webhookSecret"),
});

// An inbox that sends each new mail to a URL.
const signup = new Inbox("signup", { ttlMinutes: 1440, webhookUrl: "https://hooks.example.com/mail" });

export const shortUrl = home.shortUrl;
export const serverAddress = web.ipv4;
export const databaseHost = orders.host;
export const databaseUri = orders.connectionUri;
export const inboxId = signup.id;
export const inboxAddress = signup.emailAddress;
