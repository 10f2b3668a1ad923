import { ConflictError, type ListedLink as RemoteLink, ServerError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import type { Properties } from "../kernel/definition/properties.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import { clientOf } from "../kernel/stack/client.js";
import { Scope } from "../kernel/stack/scope.js";
import { Session } from "../kernel/stack/session.js";
import { listOf } from "../test-support/list.js";
import { check, createResource } from "../test-support/operations.js";
import { errorOf } from "../test-support/thing.js";
import { type LinkInputs, link } from "./link.js";

const DEFAULT = "sho.rt";
const NOW = Date.parse("2026-01-01T00:00:00Z");
const urnOf = (name: string) => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Link::${name}`;

/** A service of links; those of other accounts are in no list. */
function service() {
  const links: RemoteLink[] = [];
  const otherAccounts = new Set<string>();
  const lost: ("before" | "after")[] = [];
  let lists = 0;
  let number = 0;
  const add = ({ url, slug = "", domain = DEFAULT }: LinkInputs, createdAt = NOW): RemoteLink => {
    const made = {
      id: `link_${++number}`,
      destinationUrl: url,
      slug,
      domain,
      shortUrl: `https://${domain}/${slug}`,
      createdAt: new Date(createdAt).toISOString(),
    };
    links.push(made);
    return made;
  };
  const kind: typeof link = {
    ...link,
    create: async (_api, inputs) => {
      const fault = lost.shift();
      const error = new ServerError({ message: "it broke", outcome: "ambiguous" });
      if (fault === "before") throw error;
      const { slug, domain = DEFAULT } = inputs;
      const isTaken = links.some((other) => other.slug === slug && other.domain === domain);
      if (isTaken || otherAccounts.has(`${domain}/${slug}`))
        throw new ConflictError({ message: "taken.", outcome: "rejected", timestamp: NOW / 1_000 });
      const made = add(inputs);
      if (fault === "after") throw error;
      return made;
    },
    list: () => {
      lists++;
      return listOf(Promise.resolve([...links]));
    },
  };
  const open = (config: Record<string, string> = {}) => {
    const given: Record<string, string> = {
      "cloudservices:apiKey": "key",
      "cloudservices:baseUrl": "https://api.test/v1",
      ...config,
    };
    const settings = readSettings((key) => given[key], {});
    const reporter = { status: () => undefined, warn: () => undefined };
    const session = new Session(settings, clientOf(settings), reporter, {
      now: () => NOW,
      sleep: async () => undefined,
    });
    const scope = new Scope(kind, session);
    const checked = (name: string, news: Properties, olds: Properties = {}) =>
      check(kind, olds, { ...news, __urn: urnOf(name) }, settings, session.names).inputs;
    const made = (name: string, news: Properties) => createResource(scope, checked(name, news));
    return { scope, made, checked };
  };
  return { links, otherAccounts, lost, add, open, lists: () => lists };
}

const launch = { url: "https://example.com/", slug: "launch" };
const elsewhere = { ...launch, domain: "go.example.com" };

describe("a requested slug that is taken", () => {
  it("names the id of its link if the program sets the domain", async () => {
    const { add, open } = service();
    add(launch);
    const { id } = add(elsewhere);
    expect(await errorOf(open().made("a", elsewhere))).toMatchObject({
      message: expect.stringContaining(`adopt: "${id}"`),
    });
  });

  it("names the link that may have it while the default domain is unknown", async () => {
    const { add, open, otherAccounts } = service();
    otherAccounts.add(`${DEFAULT}/launch`);
    const { id } = add(elsewhere);
    const said = await errorOf(open().made("a", launch));
    expect(said).toMatchObject({
      message: expect.stringContaining(
        `default domain is unknown, so it may be ${id} (go.example.com) or another account's`,
      ),
    });
    expect(said).toMatchObject({
      message: expect.stringContaining(`if it is yours: adopt: "${id}"`),
    });
  });

  it("is found by the default domain that another creation returned", async () => {
    const { add, open, otherAccounts } = service();
    add(elsewhere);
    otherAccounts.add(`${DEFAULT}/launch`);
    const { id } = add({ ...launch, slug: "second" });
    const { made } = open();
    await made("other", { url: launch.url });
    expect(await errorOf(made("a", launch))).toMatchObject({
      message: expect.stringContaining("no resource of this account has it"),
    });
    expect(await errorOf(made("b", { ...launch, slug: "second" }))).toMatchObject({
      message: expect.stringContaining(`adopt: "${id}"`),
    });
  });

  it("left by an interrupted replacement is named, and may be deleted but not adopted", async () => {
    const { add, open } = service();
    const said = async (news: Properties) => {
      const { scope, checked } = open();
      checked("a", news, { ...news, slug: "before" });
      return errorOf(createResource(scope, checked("a", news)));
    };
    const { id } = add(elsewhere);
    expect(await said(elsewhere)).toMatchObject({
      message: expect.stringMatching(
        `${id} has it\\.\\s+if an interrupted replacement left it: delete ${id} at`,
      ),
    });
    add(launch);
    const unsure = await said(launch);
    expect(unsure).toMatchObject({ message: expect.stringContaining(`it may be ${id} (go.example.com)`) });
    expect(unsure).toMatchObject({ message: expect.stringContaining("delete it at the service, then") });
    expect(unsure).toMatchObject({ message: expect.not.stringContaining("adopt") });
  });

  it("of the old resource of a replacement is not offered for deletion", async () => {
    const { add, open } = service();
    const { id } = add(elsewhere);
    const { scope, checked } = open();
    scope.session.claims.markManaged("Link", id);
    checked("a", { ...elsewhere, slug: "x" }, elsewhere);
    const said = await errorOf(createResource(scope, checked("a", elsewhere)));
    expect(said).toMatchObject({ message: expect.stringContaining(`${id} of this stack has it.`) });
    expect(said).toMatchObject({ message: expect.not.stringMatching(/delete \w+ at/) });
  });

  it("is found by the default domain in the state, but not by that of an adopted link", async () => {
    const { add, open } = service();
    const { id } = add(launch);
    const known = open();
    const state = { version: 1, baseUrl: "b", key: "k", ready: true, everReady: true, given: ["url"] };
    known.scope.noteStored({ url: "u", domain: DEFAULT, __state: state });
    expect(await errorOf(known.made("a", launch))).toMatchObject({
      message: expect.stringContaining(`adopt: "${id}"`),
    });
    const unknown = open();
    unknown.scope.noteStored({ url: "u", domain: DEFAULT, adopt: "link_9", __state: state });
    expect(await errorOf(unknown.made("a", launch))).toMatchObject({
      message: expect.stringContaining("is unknown"),
    });
  });
});

describe("a lost response to a link with a given slug", () => {
  it.each([launch, elsewhere])("is found by its slug, and the creation continues: %j", async (inputs) => {
    const { links, lost, open } = service();
    lost.push("after");
    expect(await open().made("a", inputs)).toMatchObject({ id: "link_1" });
    expect(links).toHaveLength(1);
  });

  it("is retried if the service has not created the link", async () => {
    const { links, lost, open } = service();
    lost.push("before");
    expect(await open().made("a", launch)).toMatchObject({ id: "link_1" });
    expect(links).toHaveLength(1);
  });

  it.each([
    ["was there before", { createdAt: NOW - 60_000, url: launch.url }],
    ["leads elsewhere", { createdAt: NOW, url: "https://example.com/other" }],
  ])("does not claim a link that %s", async (_what, { createdAt, url }) => {
    const { lost, add, open } = service();
    add({ ...launch, url }, createdAt);
    lost.push("before");
    expect(await errorOf(open().made("a", launch))).toMatchObject({
      message: expect.stringContaining("[CREATE_OUTCOME_UNKNOWN]"),
    });
  });

  it("does not claim the link of another domain that the program also declares", async () => {
    const { lost, otherAccounts, open, links } = service();
    otherAccounts.add(`${DEFAULT}/launch`);
    const { made, checked, scope } = open();
    const other = checked("other", elsewhere);
    // Its own creation is in flight: it exists, and its response has not arrived yet.
    links.push({
      id: "link_9",
      destinationUrl: launch.url,
      ...elsewhere,
      createdAt: new Date(NOW).toISOString(),
    });
    lost.push("before");
    const said = await errorOf(made("a", launch));
    expect(said).toMatchObject({ message: expect.stringContaining("[CREATE_OUTCOME_UNKNOWN]") });
    expect(said).toMatchObject({ message: expect.not.stringContaining("link_9") });
    expect(scope.session.claims.isManaged("Link", "link_9")).toBe(false);
    expect(other).toMatchObject(elsewhere);
  });
});
