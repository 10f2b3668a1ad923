import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./folder.js";

/** Mounts in its own namespace, which needs no privileges on most systems. */
const namespace = ["--user", "--map-root-user", "--mount", "sh", "-c"];

/** Whether this machine allows mounting a small file system. */
export const canMount: boolean =
  process.platform === "linux" &&
  spawnSync("unshare", [...namespace, "mount -t tmpfs -o size=64k tmpfs /tmp"]).status === 0;

/** Returns a folder with its own file system of this size, deleted after the test. */
export async function smallDisk(kibibytes: number): Promise<string> {
  const folder = await temporaryFolder();
  const script = `mount -t tmpfs -o size=${kibibytes}k tmpfs "$0" && echo mounted && exec sleep 600`;
  const holder = spawn("unshare", [...namespace, script, folder], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  return `/proc/${holder.pid}/root${folder}`;
}
