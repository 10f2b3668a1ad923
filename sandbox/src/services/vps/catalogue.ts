/** Specification: "VPS instance", plans. */
export const vpsPlans = {
  "vps-micro-1": { vcpus: 1, ram_mb: 1024, disk_gb: 25 },
  "vps-standard-2": { vcpus: 2, ram_mb: 4096, disk_gb: 80 },
  "vps-standard-4": { vcpus: 4, ram_mb: 8192, disk_gb: 160 },
  "vps-memory-8": { vcpus: 4, ram_mb: 16384, disk_gb: 240 },
  "vps-compute-8": { vcpus: 8, ram_mb: 16384, disk_gb: 320 },
  "vps-enterprise-16": { vcpus: 16, ram_mb: 32768, disk_gb: 640 },
} as const;

/** Specification: "VPS instance", images. */
export const vpsImages = [
  "ubuntu-24.04-lts",
  "ubuntu-22.04-lts",
  "debian-12",
  "debian-11",
  "almalinux-9",
  "rocky-9",
  "alpine-3.20",
  "windows-server-2022",
  "windows-server-2025",
] as const;

/** Specification: "VPS instance", actions. */
export const vpsActions = ["start", "stop", "reboot", "rebuild", "create_snapshot"] as const;
export type VpsAction = (typeof vpsActions)[number];
