import { generate } from "selfsigned";

export interface Certificate {
  /** PEM. It is its own root: who trusts it can check that it talks to this sandbox. */
  readonly certificate: string;
  readonly key: string;
}

/** A certificate for the loopback names, made afresh: no key is ever shipped. */
export async function makeCertificate(now: Date): Promise<Certificate> {
  const made = await generate([{ name: "commonName", value: "cloudservices-sandbox" }], {
    keyType: "ec",
    curve: "P-256",
    algorithm: "sha256",
    notBeforeDate: new Date(now.getTime() - 86_400_000),
    notAfterDate: new Date(now.getTime() + 10 * 365 * 86_400_000),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
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
