// What is measured against each other: programs that declare a number of links.
import { fileURLToPath } from "node:url";

/**
 * @typedef {object} Contestant
 * @property {(version: string) => string} program the text of the program; the second version updates each resource
 * @property {Record<string, string>} [env]
 */

/**
 * @param {number} count
 * @param {string} [entry] of the package
 * @returns {Contestant}
 */
export const ours = (count, entry = "pulumi-cloudservices") => ({
  program: programOf(count, `const { Link } = require("${entry}");`),
});

/**
 * A provider that does nothing: its class declares the same properties, and its hooks return values like the service's
 * without a request.
 *
 * @param {number} count
 * @returns {Contestant}
 */
export const floor = (count) => ({
  program: programOf(count, FLOOR),
  env: { FLOOR_HANDLER: fileURLToPath(new URL("floor/handler.cjs", import.meta.url)) },
});

/**
 * A dynamic provider as a tutorial writes one: one request for each read, no retries, no validation, and its closure in
 * the state.
 *
 * @param {number} count
 * @returns {Contestant}
 */
export const tutorial = (count) => ({ program: programOf(count, TUTORIAL) });

const programOf = (count, head) => (version) =>
  `${head}
for (let at = 0; at < ${count}; at++) new Link(\`link-\${at}\`, { url: \`https://example.com/${version}/\${at}\` });
`;

/** Like our class, it passes a short constant text instead of a closure. */
const FLOOR = `const pulumi = require("@pulumi/pulumi");
class Link extends pulumi.CustomResource {
  constructor(name, args) {
    super("pulumi-nodejs:dynamic/floor:Link", name, {
      ...{ clicksCount: undefined, createdAt: undefined, domain: undefined, expired: undefined, expiresAt: undefined },
      ...{ passcode: undefined, qrCodeUrl: undefined, shortUrl: undefined, slug: undefined, title: undefined },
      ...{ utmSource: undefined, ...args },
      __provider: "exports.handler=()=>require(process.env.FLOOR_HANDLER)",
    }, { additionalSecretOutputs: ["passcode"] });
  }
}`;

const TUTORIAL = `const pulumi = require("@pulumi/pulumi");
async function call(method, path, body) {
  const headers = { authorization: "Bearer " + process.env.CLOUDSERVICES_API_KEY, "content-type": "application/json" };
  const response = await fetch(process.env.CLOUDSERVICES_BASE_URL + "/shortener/links" + path, {
    ...{ method, headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.status === 204 ? undefined : (await response.json()).data;
}
const outputsOf = (link) => ({ url: link.destination_url, shortUrl: link.short_url, slug: link.slug });
const provider = {
  async create({ url }) {
    const link = await call("POST", "", { url });
    return { id: link.id, outs: outputsOf(link) };
  },
  async diff(id, olds, news) {
    return { changes: olds.url !== news.url };
  },
  async update(id, olds, { url }) {
    return { outs: outputsOf(await call("PATCH", "/" + id, { url })) };
  },
  async read(id) {
    return { id, props: outputsOf(await call("GET", "/" + id)) };
  },
  async delete(id) {
    await call("DELETE", "/" + id);
  },
};
class Link extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(provider, name, { shortUrl: undefined, slug: undefined, ...args });
  }
}`;
