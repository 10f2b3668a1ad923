import { Database, Inbox, Link } from "pulumi-cloudservices";

const notes = new Database("notes", {
  engine: "postgresql",
  version: "16",
  plan: "db-starter-1",
  region: "eu-central-1",
});

const signup = new Inbox("signup", { ttlMinutes: 120 });

const contact = new Link("contact", {
  url: signup.emailAddress.apply((address) => `mailto:${address}`),
  title: "Contact",
});

export const shortUrl = contact.shortUrl;
export const address = signup.emailAddress;
export const databaseUri = notes.connectionUri; // a secret: encrypted in the state, masked on the screen
