import { mkdir, rm, writeFile } from "node:fs/promises";
import { onTestFinished } from "vitest";
import { run } from "./postgres.js";

/** Another "machine": a network namespace with one link to this one. */
export interface Namespace {
  /** This machine's address on the link. */
  readonly here: string;
  /** The address at its other end. */
  readonly there: string;
  /** Runs a program there; returns its output. */
  readonly inside: (program: string, ...args: string[]) => Promise<string>;
}

const PREFIX = `sandbox-${process.pid}`;

/** Creates a namespace in which `name` means this machine. It ends with the test. Needs root and `ip`. */
export async function namespaceFor(name: string): Promise<Namespace> {
  const link = `sbx${process.pid % 100_000}`;
  const [here, there] = [10, 11].map((last) => `10.213.${process.pid % 250}.${last}`);
  if (here === undefined || there === undefined) throw new Error("no address");
  const folder = `/etc/netns/${PREFIX}`;
  onTestFinished(async () => {
    await run("ip", ["link", "del", `${link}a`]).catch(() => {});
    await run("ip", ["netns", "del", PREFIX]).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  });
  // `ip netns exec` shows the files of this folder as those in /etc.
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/hosts`, `127.0.0.1 localhost\n${here} ${name}\n`);
  await run("ip", ["netns", "add", PREFIX]);
  await run("ip", ["link", "add", `${link}a`, "type", "veth", "peer", "name", `${link}b`, "netns", PREFIX]);
  await run("ip", ["addr", "add", `${here}/24`, "dev", `${link}a`]);
  await run("ip", ["link", "set", `${link}a`, "up"]);
  const inside = async (program: string, ...args: string[]) =>
    (await run("ip", ["netns", "exec", PREFIX, program, ...args])).stdout;
  await inside("ip", "addr", "add", `${there}/24`, "dev", `${link}b`);
  await inside("ip", "link", "set", `${link}b`, "up");
  return { here, there, inside };
}

/** Whether this account can create network namespaces and links. */
export const canMakeNamespaces =
  process.getuid?.() === 0 &&
  (await run("ip", ["netns", "add", `${PREFIX}-probe`])
    .then(() => run("ip", ["netns", "del", `${PREFIX}-probe`]))
    .then(() => run("ip", ["link", "add", `sbp${process.pid % 100_000}`, "type", "veth"]))
    .then(() => run("ip", ["link", "del", `sbp${process.pid % 100_000}`]))
    .then(
      () => true,
      () => false,
    ));
