import { expect, test } from "vitest";
import { vpsActions, vpsImages, vpsPlans } from "./catalogue.js";

// Written out of the specification's section "VPS instance", with 1,024 MB to the GB.
test("the plans of servers are the specification's", () => {
  expect(vpsPlans).toEqual({
    "vps-micro-1": { vcpus: 1, ram_mb: 1 * 1024, disk_gb: 25 },
    "vps-standard-2": { vcpus: 2, ram_mb: 4 * 1024, disk_gb: 80 },
    "vps-standard-4": { vcpus: 4, ram_mb: 8 * 1024, disk_gb: 160 },
    "vps-memory-8": { vcpus: 4, ram_mb: 16 * 1024, disk_gb: 240 },
    "vps-compute-8": { vcpus: 8, ram_mb: 16 * 1024, disk_gb: 320 },
    "vps-enterprise-16": { vcpus: 16, ram_mb: 32 * 1024, disk_gb: 640 },
  });
});

test("the images and actions of servers are the specification's", () => {
  expect([...vpsImages].sort()).toEqual([
    "almalinux-9",
    "alpine-3.20",
    "debian-11",
    "debian-12",
    "rocky-9",
    "ubuntu-22.04-lts",
    "ubuntu-24.04-lts",
    "windows-server-2022",
    "windows-server-2025",
  ]);
  expect([...vpsActions].sort()).toEqual(["create_snapshot", "reboot", "rebuild", "start", "stop"]);
});
