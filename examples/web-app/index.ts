import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { getLinkQrCodeOutput } from "pulumi-cloudservices";
import { WebApp } from "./web-app";

// What differs between dev and prod is in Pulumi.dev.yaml and Pulumi.prod.yaml.
const config = new pulumi.Config();

const app = new WebApp(
  "shop",
  {
    domain: config.require("domain"),
    region: config.require("region"),
    serverPlan: config.require("serverPlan"),
    databasePlan: config.require("databasePlan"),
    backupDays: config.requireNumber("backupDays"),
    webhookSecret: config.requireSecret("webhookSecret"),
    receiver: config.get("receiver"),
  },
  // The resources of a component inherit this option.
  { protect: config.requireBoolean("protect") },
);

// A preview must not write files.
if (!pulumi.runtime.isDryRun()) {
  getLinkQrCodeOutput({ linkId: app.link.id, size: 512 }).apply((svg) =>
    writeFileSync(join(__dirname, `qr-code.${pulumi.getStack()}.svg`), svg),
  );
}

export const url = app.url;
export const shortUrl = app.link.shortUrl;
export const linkDomain = app.link.domain;
export const serverAddress = app.server.ipv4;
export const databaseUri = app.database.poolUri; // a secret
