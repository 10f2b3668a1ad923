import { Link, VpsInstance } from "pulumi-cloudservices";
import { expect, it } from "vitest";
import { openTestStack, takeRequests } from "../support/test-stack.js";

const COUNT = 20;

const program = (version: string) => async () => {
  for (let number = 0; number < COUNT; number++) {
    new Link(`link-${number}`, { url: `https://example.com/${version}/${number}` });
    new VpsInstance(`server-${number}`, { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });
  }
};

it("an operation sends as few requests as the service allows", async () => {
  const { sandbox, stack } = await openTestStack(program("first"));
  /** Returns the requests of an operation by route. */
  const requestsOf = async (operation: () => Promise<unknown>): Promise<Record<string, number>> => {
    takeRequests(sandbox);
    await operation();
    const counts: Record<string, number> = {};
    for (const request of takeRequests(sandbox)) {
      const route = request.replace(/\/(link|vps)_\w+$/, "/{id}");
      counts[route] = (counts[route] ?? 0) + 1;
    }
    return counts;
  };
  // How often a wait polls depends on the speed of the machine.
  const withoutPolls = (counts: Record<string, number>) =>
    Object.fromEntries(Object.entries(counts).filter(([route]) => !/^GET \/vps/.test(route)));

  expect(await requestsOf(() => stack.preview())).toEqual({});
  const created = await requestsOf(() => stack.up());
  expect(withoutPolls(created)).toEqual({ "POST /shortener/links": COUNT, "POST /vps/instances": COUNT });
  expect(await requestsOf(() => stack.preview())).toEqual({});
  expect(await requestsOf(() => stack.up())).toEqual({});
  expect(await requestsOf(() => stack.refresh())).toEqual({
    "GET /shortener/links": 1,
    "GET /vps/instances": 1,
  });
  expect(await requestsOf(() => stack.up({ program: program("second") }))).toEqual({
    "PATCH /shortener/links/{id}": COUNT,
  });
  const destroyed = await requestsOf(() => stack.destroy());
  expect(withoutPolls(destroyed)).toEqual({
    "DELETE /shortener/links/{id}": COUNT,
    "DELETE /vps/instances/{id}": COUNT,
  });
  // A list may hide a server that is being deleted, so a direct request confirms each deletion.
  expect(destroyed["GET /vps/instances/{id}"]).toBeGreaterThanOrEqual(COUNT);
});
