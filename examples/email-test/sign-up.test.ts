import { CloudServices } from "cloudservices-sdk";
import { type TestStack, testStack } from "pulumi-cloudservices/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testInbox } from "./index.js";
import { signUp } from "./sign-up.js";

let stack: TestStack;
beforeAll(async () => {
  stack = await testStack(async () => testInbox(), { sandboxOptions: { smtpPort: 0 } });
  await stack.up();
}, 120_000);
afterAll(() => stack?.close());

test("a new user receives a code that the shop accepts", async () => {
  const { sandbox } = stack;
  if (!sandbox.smtp) throw new Error("The sandbox has no SMTP server.");
  const outputs = await stack.outputs();
  const inboxId = String(outputs["inboxId"]?.value);
  const address = String(outputs["address"]?.value);

  const { mail } = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
  const since = await mail.cursor(inboxId); // earlier mails do not count
  const isRight = await signUp(address, sandbox.smtp);
  const { otpCode, links } = await mail.waitForMessage(inboxId, { since, subject: /welcome/i });

  expect(isRight(otpCode ?? "")).toBe(true);
  expect(isRight("000000")).toBe(false);
  expect(links).toEqual([`https://shop.example/verify?code=${otpCode}`]);
}, 60_000);
