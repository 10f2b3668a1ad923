/** Resources as the service sends them, with all that the specification always shows. */

export const wireLink = {
  id: "link_1",
  short_url: "https://s.example/a",
  destination_url: "https://example.com",
  domain: "s.example",
  slug: "a",
  qr_code_url: "https://api.example.com/v1/shortener/links/link_1/qr.svg",
  clicks_count: 0,
  created_at: "2030-01-01T00:00:00Z",
};

export const wireDatabase = {
  id: "db_1",
  name: "main",
  engine: "postgresql",
  version: "16",
  status: "ready",
  host: "db.example",
  port: 5432,
  database: "main",
  username: "user",
  connection_uri: "postgresql://user:pass@db.example:5432/main",
  ssl_required: true,
};

export const wireServer = {
  id: "vps_1",
  name: "web",
  status: "running",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  region: "eu-central-1",
  plan: "vps-micro-1",
  specs: { vcpus: 1, ram_mb: 1024, disk_gb: 25 },
  created_at: "2030-01-01T00:00:00Z",
};
