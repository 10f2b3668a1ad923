import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { makeCertificate } from "./certificate.js";

test("the certificate is its own root, for the loopback names, and holds for ten years", async () => {
  const now = new Date("2030-06-01T12:00:00Z");
  const { certificate, key } = await makeCertificate(now);
  const read = new X509Certificate(certificate);
  expect(read.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.checkIssued(read)).toBe(true);
  expect(read.ca).toBe(true);
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
