import { generateKeyPair, randomBytes, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeAtomically } from "../state/write-atomically.js";

export interface Certificate {
  /** In PEM. It is its own root: a client that trusts it can verify this sandbox. */
  readonly certificate: string;
  readonly key: string;
}

/** Returns the certificate of a sandbox, and makes it when it is first needed. */
export type CertificateSource = () => Promise<Certificate>;

const DAY = 86_400_000;
const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

/**
 * Returns the source of the certificate for the loopback names and the public host.
 * @param folder - Where the certificate is kept; without it, each sandbox has its own.
 */
export function certificateSource(
  folder: string | undefined,
  publicHost: string | undefined,
): CertificateSource {
  const hosts = [...LOOPBACK, ...(publicHost === undefined ? [] : [publicHost])];
  let made: Promise<Certificate> | undefined;
  return () => {
    made ??= (
      folder === undefined ? makeCertificate(new Date(), hosts) : keptCertificate(folder, hosts)
    ).catch((error: unknown) => {
      // The next use tries again: there may be space on the disk by then.
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Key and certificate are one file, so that they always match. */
async function keptCertificate(folder: string, hosts: readonly string[]): Promise<Certificate> {
  const path = join(folder, "certificate.pem");
  const kept = parse(await readFile(path, "utf8").catch(() => ""));
  if (kept && hosts.every((host) => isFor(kept, host))) return kept;
  const made = await makeCertificate(new Date(), hosts);
  await writeAtomically(path, made.key + made.certificate, { account: {}, isKept: true, mode: 0o600 });
  return made;
}

function parse(text: string): Certificate | undefined {
  const block = (name: string) =>
    new RegExp(`-----BEGIN ${name}-----[^-]+-----END ${name}-----\r?\n?`).exec(text)?.[0];
  const [key, certificate] = [block("PRIVATE KEY"), block("CERTIFICATE")];
  return key === undefined || certificate === undefined ? undefined : { key, certificate };
}

function isFor({ certificate }: Certificate, host: string): boolean {
  try {
    const read = new X509Certificate(certificate);
    return (isIP(host) === 0 ? read.checkHost(host) : read.checkIP(host)) !== undefined;
  } catch {
    // Damaged, so another one is made.
    return false;
  }
}

/**
 * Creates a certificate (RFC 5280) with a new key, since no key is shipped.
 *
 * The library has no dependencies. Those on `@peculiar/asn1-schema` fail where npm installs two versions of it, which
 * it does beside `mailauth` without our lock file.
 */
export async function makeCertificate(now: Date, hosts: readonly string[] = LOOPBACK): Promise<Certificate> {
  const keys = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  // Loaded on demand: most sandboxes need no certificate.
  const { md, pki } = (await import("node-forge")).default;
  const made = pki.createCertificate();
  made.publicKey = pki.publicKeyFromPem(keys.publicKey);
  // Positive, as RFC 5280 requires.
  made.serialNumber = `01${randomBytes(15).toString("hex")}`;
  // Valid since yesterday, for clocks that are behind.
  made.validity.notBefore = new Date(now.getTime() - DAY);
  made.validity.notAfter = new Date(now.getTime() + 3650 * DAY);
  const name = [{ name: "commonName", value: "cloudservices-sandbox" }];
  made.setSubject(name);
  made.setIssuer(name);
  made.setExtensions([
    // As a root it may issue certificates, but none that issue others.
    { name: "basicConstraints", cA: true, pathLenConstraint: 0, critical: true },
    { name: "keyUsage", digitalSignature: true, keyCertSign: true, critical: true },
    { name: "extKeyUsage", serverAuth: true },
    {
      name: "subjectAltName",
      altNames: hosts.map((host) => (isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host })),
    },
  ]);
  made.sign(pki.privateKeyFromPem(keys.privateKey), md.sha256.create());
  return { certificate: pki.certificateToPem(made), key: keys.privateKey };
}
