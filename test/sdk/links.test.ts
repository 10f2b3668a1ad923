import { ConflictError, NotFoundError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/failure.js";
import { openClient } from "./client.js";

const { sandbox, client } = await openClient();

describe("links", () => {
  it("links.create: creates a link that works at once, with the given slug", async () => {
    const link = await client.links.create({
      url: "https://example.com/launch?a=1",
      slug: "launch",
      title: "Launch",
      expiresAt: new Date(Date.now() + 86_400_000),
      utmSource: "newsletter",
    });
    expect(link).toMatchObject({
      destinationUrl: "https://example.com/launch?a=1",
      slug: "launch",
      clicksCount: 0,
    });
    const visit = await fetch(link.shortUrl ?? "", { redirect: "manual" });
    expect(visit.status).toBeGreaterThanOrEqual(300);
    expect(visit.headers.get("location")).toBe("https://example.com/launch?a=1&utm_source=newsletter");
    const error = await errorOf(
      client.links.create({ url: "https://example.com", slug: "launch" }),
      ConflictError,
    );
    expect(error).toMatchObject({ outcome: "rejected", status: 409 });
  });

  it("links.get: reads a link as created", async () => {
    const link = await client.links.create({ url: "https://example.com" });
    expect(link.slug).toHaveLength(6);
    expect(await client.links.get(link.id)).toEqual(link);
    const missing = await errorOf(client.links.get("link_0"), NotFoundError);
    expect(missing).toMatchObject({ isProvenAbsent: true, requestId: expect.any(String) });
  });

  it("links.update: changes the given fields, clears with null, keeps the rest", async () => {
    const link = await client.links.create({ url: "https://example.com/a", passcode: "open sesame" });
    const changed = await client.links.update(link.id, { url: "https://example.com/b", passcode: null });
    expect(changed).toMatchObject({ id: link.id, slug: link.slug, destinationUrl: "https://example.com/b" });
    const visit = await fetch(link.shortUrl ?? "", { redirect: "manual" });
    expect(visit.headers.get("location")).toBe("https://example.com/b");
  });

  it("links.delete: deletes a link", async () => {
    const link = await client.links.create({ url: "https://example.com" });
    await client.links.delete(link.id);
    await errorOf(client.links.get(link.id), NotFoundError);
    await errorOf(client.links.delete(link.id), NotFoundError);
  });

  it("links.list: lists every link once, page by page", async () => {
    const made: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      made.push((await client.links.create({ url: `https://example.com/${count}` })).id);
    }
    const page = await client.links.list({ limit: 3 });
    expect(page).toMatchObject({ hasMore: true, totalCount: expect.any(Number) });
    expect(page.items).toHaveLength(3);
    sandbox.clearJournal();
    const all: string[] = [];
    for await (const { id } of client.links.list({ limit: 3 })) all.push(id);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(page.totalCount ?? 0);
    expect(all).toEqual(expect.arrayContaining(made));
    expect(sandbox.journal()).toHaveLength(Math.ceil(all.length / 3));
    const later = await client.links.list({ startingAfter: all[2] }).toArray();
    expect(later.map(({ id }) => id)).toEqual(all.slice(3));
  });

  it("links.analytics: counts visits", async () => {
    const link = await client.links.create({ url: "https://example.com" });
    await fetch(link.shortUrl ?? "", {
      redirect: "manual",
      headers: { referer: "https://news.example.com/x" },
    });
    const analytics = await client.links.analytics(link.id, { timeframe: "30d" });
    expect(analytics).toMatchObject({ totalClicks: 1, uniqueVisitors: 1 });
    expect(analytics.referrers).toEqual([{ source: "news.example.com", clicks: 1 }]);
  });

  it("links.qrSvg: returns an image in the given colours", async () => {
    const link = await client.links.create({ url: "https://example.com" });
    const svg = await client.links.qrSvg(link.id, { color: "ff0000", bg: "00ff00", size: 300 });
    expect(svg).toMatch(/^<svg|^<\?xml/);
    expect(svg).toContain("ff0000");
    expect(svg).toContain("300");
  });
});
