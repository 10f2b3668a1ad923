import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import * as der from "./der.js";

export interface Certificate {
  /** In PEM. It is its own root: a client that trusts it can verify this sandbox. */
  readonly certificate: string;
  readonly key: string;
}

const DAY = 86_400_000;
const OIDS = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
} as const;

/** Creates a certificate (RFC 5280) for the loopback names with a new key, since no key is shipped. */
export function makeCertificate(now: Date): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der.sequence(der.oid(OIDS.ecdsaWithSha256));
  const name = der.sequence(
    der.set(der.sequence(der.oid(OIDS.commonName), der.text("cloudservices-sandbox"))),
  );
  const subjectKey = publicKey.export({ type: "spki", format: "der" });
  const content = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    // Valid since yesterday, for clocks that are behind.
    der.sequence(der.time(new Date(now.getTime() - DAY)), der.time(new Date(now.getTime() + 3650 * DAY))),
    name,
    subjectKey,
    der.explicit(3, der.sequence(...extensions(subjectKey))),
  );
  const signature = der.bits(sign("sha256", content, privateKey));
  return {
    certificate: pem("CERTIFICATE", der.sequence(content, algorithm, signature)),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function extensions(subjectKey: Buffer): Buffer[] {
  const names = der.sequence(
    der.implicit(2, Buffer.from("localhost")),
    der.implicit(7, Buffer.from([127, 0, 0, 1])),
    der.implicit(7, Buffer.from([...Array<number>(15).fill(0), 1])),
  );
  // Digital signature (bit 0) and certificate signing (bit 5).
  const usage = der.bits(Buffer.from([0b1000_0100]), 2);
  return [
    critical(OIDS.basicConstraints, der.sequence(der.boolean(true))),
    critical(OIDS.keyUsage, usage),
    extension(OIDS.extendedKeyUsage, der.sequence(der.oid(OIDS.serverAuth))),
    extension(OIDS.subjectKeyIdentifier, der.octets(createHash("sha1").update(subjectKey).digest())),
    extension(OIDS.subjectAltName, names),
  ];
}

function extension(id: string, value: Buffer): Buffer {
  return der.sequence(der.oid(id), der.octets(value));
}

function critical(id: string, value: Buffer): Buffer {
  return der.sequence(der.oid(id), der.boolean(true), der.octets(value));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
