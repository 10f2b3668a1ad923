export interface Certificate {
  /** In PEM. It is its own root: a client that trusts it can verify this sandbox. */
  readonly certificate: string;
  readonly key: string;
}

const DAY = 86_400_000;

/** Creates a certificate (RFC 5280) for the loopback names with a new key, since no key is shipped. */
export async function makeCertificate(now: Date): Promise<Certificate> {
  // Loaded on demand: only the first start of a PostgreSQL server needs it.
  const { generate } = await import("selfsigned");
  const made = await generate([{ name: "commonName", value: "cloudservices-sandbox" }], {
    keyType: "ec",
    algorithm: "sha256",
    // Valid since yesterday, for clocks that are behind.
    notBeforeDate: new Date(now.getTime() - DAY),
    notAfterDate: new Date(now.getTime() + 3650 * DAY),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", digitalSignature: true, keyCertSign: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
          { type: 7, ip: "::1" },
        ],
      },
    ],
  });
  return { certificate: made.cert, key: made.private };
}
