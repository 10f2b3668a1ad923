import jsQR from "jsqr";
import { expect, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";
import { linkSchema, visit } from "../../../test/links.js";

test("the QR code encodes the short address in the requested colours and size", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", { url: "https://example.com" });
  const reply = await call("GET", `/shortener/links/${id}/qr.svg?color=1e3a8a&bg=fef9c3&size=330`);
  expect(reply.headers.get("content-type")).toBe("image/svg+xml");
  expect(reply.text).toContain('width="330" height="330"');
  expect(reply.text).toContain("#1e3a8a");
  expect(reply.text).toContain("#fef9c3");
  const { pixels, side } = rasterised(reply.text);
  expect(jsQR(pixels, side, side)?.data).toBe(linkSchema.parse(data).short_url);
  expect((await call("GET", `/shortener/links/${id}/qr.svg?color=%231e3a8a`)).error?.field).toBe("color");
  expect((await fetch(`${sandbox.baseUrl}/shortener/links/${id}/qr.svg`)).status).toBe(401);
});

test("an invalid target and a slug too long for a QR code are errors with a reason", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", {
    url: "https://example.com",
    utm_source: "x",
  });
  sandbox.change(id, { destination_url: "garbage" });
  const reply = await visit(linkSchema.parse(data).short_url);
  expect(reply.status).toBe(404);
  expect(await reply.text()).toContain("is invalid");
  expect((await call("GET", `/shortener/links/${id}`)).data).toMatchObject({ clicks_count: 0 });
  sandbox.change(id, { slug: "a".repeat(5_000) });
  const code = await call("GET", `/shortener/links/${id}/qr.svg`);
  expect(code).toMatchObject({ status: 400, error: { message: expect.stringContaining("QR code") } });
});

/** Draws the horizontal strokes of the SVG, four pixels a module. */
function rasterised(svg: string): { pixels: Uint8ClampedArray; side: number } {
  const modules = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
  const strokes = /stroke="#1e3a8a" d="([^"]+)"/.exec(svg)?.[1] ?? "";
  const side = modules * 4;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, letter, a, b] of strokes.matchAll(/([Mmh])(-?[\d.]+)(?:[ ,]?(-?[\d.]+))?/g)) {
    if (letter === "M") [x, y] = [Number(a), Math.floor(Number(b))];
    else if (letter === "m") [x, y] = [x + Number(a), y + Number(b)];
    else {
      for (let column = x * 4; column < (x + Number(a)) * 4; column++) {
        for (let line = y * 4; line < y * 4 + 4; line++)
          pixels.fill(0, (line * side + column) * 4, (line * side + column) * 4 + 3);
      }
      x += Number(a);
    }
  }
  return { pixels, side };
}
