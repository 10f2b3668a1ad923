import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./folder.js";

/** Mounts in a namespace of its own, which any account may where the system allows it. */
const namespace = ["--user", "--map-root-user", "--mount", "sh", "-c"];

/** Whether this machine lets us mount a small file system. */
export const canMount: boolean =
  process.platform === "linux" &&
  spawnSync("unshare", [...namespace, "mount -t tmpfs -o size=64k tmpfs /tmp"]).status === 0;

/** Returns a folder that is a real file system of so many KiB, gone after the test. */
export async function smallDisk(kibibytes: number): Promise<string> {
  const folder = await temporaryFolder();
  const script = `mount -t tmpfs -o size=${kibibytes}k tmpfs "$0" && echo mounted && exec sleep 600`;
  const holder = spawn("unshare", [...namespace, script, folder], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  return `/proc/${holder.pid}/root${folder}`;
}
