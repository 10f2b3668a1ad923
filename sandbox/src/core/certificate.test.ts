import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pki } from "node-forge";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/folder.js";
import { certificateSource, makeCertificate } from "./certificate.js";

test("the certificate is its own root, for the loopback names, and holds for ten years", async () => {
  const now = new Date("2030-06-01T12:00:00Z");
  const { certificate, key } = await makeCertificate(now);
  const read = new X509Certificate(certificate);
  expect(read.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.checkIssued(read)).toBe(true);
  expect(read.ca).toBe(true);
  const constraints = pki.certificateFromPem(certificate).getExtension("basicConstraints");
  expect(constraints).toMatchObject({ cA: true, pathLenConstraint: 0 });
  expect(read.checkHost("localhost")).toBe("localhost");
  expect(read.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(read.checkIP("::1")).toBe("::1");
  expect(read.checkHost("example.com")).toBeUndefined();
  expect(new Date(read.validFrom).toISOString()).toBe("2030-05-31T12:00:00.000Z");
  expect(new Date(read.validTo).getFullYear()).toBe(2040);
});

test("no two are alike", async () => {
  const [one, two] = (await Promise.all([makeCertificate(new Date()), makeCertificate(new Date())])).map(
    ({ certificate }) => new X509Certificate(certificate),
  );
  expect(one?.serialNumber).not.toBe(two?.serialNumber);
  expect(one?.fingerprint256).not.toBe(two?.fingerprint256);
});

test("a kept certificate stays, until it is damaged or lacks the public host", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "certificate.pem");
  const first = await certificateSource(folder, undefined)();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await certificateSource(folder, undefined)()).toEqual(first);
  const named = await certificateSource(folder, "sandbox.test")();
  expect(new X509Certificate(named.certificate).checkHost("sandbox.test")).toBe("sandbox.test");
  expect(await certificateSource(folder, "sandbox.test")()).toEqual(named);
  const numbered = new X509Certificate((await certificateSource(folder, "10.1.2.3")()).certificate);
  expect(numbered.checkIP("10.1.2.3")).toBe("10.1.2.3");
  expect(numbered.checkHost("localhost")).toBe("localhost");
  const text = await readFile(path, "utf8");
  for (const damaged of [text.slice(0, 300), text.replace(/(BEGIN CERTIFICATE-----\n)\w{8}/, "$1AAAAAAAA")]) {
    await writeFile(path, damaged);
    const { certificate, key } = await certificateSource(folder, undefined)();
    expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true);
  }
});
