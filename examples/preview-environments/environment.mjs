import { Database, Inbox, Link } from "pulumi-cloudservices";

/**
 * Declares the environment of a branch: a database, an inbox for its mail, and a short link to its build.
 *
 * @param {string} branch
 */
export function environment(branch) {
  const database = new Database("app", {
    engine: "postgresql",
    version: "16",
    plan: "db-starter-1",
    region: "eu-central-1",
  });
  // An inbox expires. An environment that lives longer gets a new one with its next `up`.
  const inbox = new Inbox("mail", { ttlMinutes: 1_440, renewExpired: true });
  const link = new Link("build", {
    url: `https://builds.example.com/${encodeURIComponent(branch)}/`,
    title: `Preview of ${branch}`,
  });
  return { url: link.shortUrl, mail: inbox.emailAddress, database: database.connectionUri };
}
