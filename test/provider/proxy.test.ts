import { beforeAll, describe, expect, it } from "vitest";
import { run } from "../../tools/process/run.mjs";
import { command } from "../support/command.js";
import { type CorporateNetwork, openCorporateNetwork } from "../support/corporate-network.js";
import { openProject } from "../support/project.js";
import { expectNoSecrets } from "../support/secrets.js";
import { openSandbox } from "../support/test-stack.js";

let local: { readonly baseUrl: string; readonly apiKey: string };
let network: CorporateNetwork;
beforeAll(async () => {
  local = await openSandbox();
  network = await openCorporateNetwork(local);
});

/** The environment of a test, without the proxies of the machine. */
const environment = (changes: Readonly<Record<string, string>>) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name))),
  NODE_EXTRA_CA_CERTS: network.authority,
  ...changes,
});

const listing = `import { CloudServices } from "cloudservices-sdk";
const client = new CloudServices({ maxRetries: 0 });
console.log((await client.links.list()).items.length, "links");`;

/** Lists the links in a process of its own, as a program of the sdk does. */
const list = (changes: Readonly<Record<string, string>>, { baseUrl, apiKey } = network as typeof local) =>
  run(process.execPath, ["--input-type=module", "-e", listing], {
    env: environment({ CLOUDSERVICES_BASE_URL: baseUrl, CLOUDSERVICES_API_KEY: apiKey, ...changes }),
  });

describe("a program of the sdk reaches a service with an own authority through the proxy in", () => {
  it.each(["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"])("%s", async (name) => {
    const { stdout, stderr } = await list({ [name]: network.proxy });
    expect(stdout, stderr).toBe("0 links\n");
    expect(network.takeTunnels()).toEqual([`CONNECT ${network.host}:443 200`]);
  });
});

describe("a program of the sdk does not use the proxy", () => {
  it.each(["NO_PROXY", "no_proxy"])("for a host in %s", async (name) => {
    const { stderr } = await list({ HTTPS_PROXY: network.proxy, [name]: `a.test,${network.host}` });
    expect(stderr).toContain(`https://${network.host} cannot be reached`);
    expect(network.takeTunnels()).toEqual([]);
  });

  it("for this machine, so that no proxy receives the API key unencrypted", async () => {
    const { stdout, stderr } = await list({ HTTP_PROXY: network.proxy, HTTPS_PROXY: network.proxy }, local);
    expect(stdout, stderr).toBe("0 links\n");
    expect(network.takeTunnels()).toEqual([]);
  });
});

it("a proxy that refuses is named with its status, and nothing was sent", async () => {
  const { stderr } = await list({ HTTPS_PROXY: network.anonymousProxy });
  expect(stderr).toContain(`https://${network.host} cannot be reached`);
  expect(stderr).toContain("Proxy response (407)");
  expect(stderr).toContain("nothing was sent");
});

it("`pulumi up` reaches the service through the proxy, and CLOUDSERVICES_LOG shows its requests without secrets", async () => {
  const project = await openProject({
    files: {
      "index.js": `const { Link } = require("pulumi-cloudservices");
new Link("docs", { url: "https://example.com/docs", passcode: "canary-of-the-passcode" });`,
    },
    sandbox: network,
  });
  network.takeTunnels();
  const { code, stdout, stderr } = await project.pulumi(["up", "--yes", "--skip-preview"], {
    // In lower case, Pulumi's own connections on this machine use the proxy too, unless they are excepted.
    env: environment({ https_proxy: network.proxy, no_proxy: "127.0.0.1", CLOUDSERVICES_LOG: "debug" }),
  });
  const output = stdout + stderr;
  expect(code, output).toBe(0);
  expect(new Set(network.takeTunnels())).toEqual(new Set([`CONNECT ${network.host}:443 200`]));
  expect(output).toContain("cloudservices debug: POST /shortener/links: sending");
  expect(output).toContain("cloudservices debug: POST /shortener/links: 201");
  const secrets = { apiKey: network.apiKey, passcode: "canary-of-the-passcode", proxy: network.password };
  expectNoSecrets(output, secrets);

  const checked = await command(project, ["doctor"], environment({ HTTPS_PROXY: network.proxy }));
  expect(checked.code, checked.stdout + checked.stderr).toBe(0);
  expect(checked.stdout).toContain("HTTPS_PROXY: the service is reached through it");
  expectNoSecrets(checked.stdout, secrets);
});
