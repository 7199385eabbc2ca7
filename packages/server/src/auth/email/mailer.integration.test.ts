/** Sending mails to an SMTP server. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { startFakeSmtp, type FakeSmtp } from "@kernelbot/testing/fake-smtp.ts";
import { openLog } from "../../observe/log.ts";
import { toAddress } from "./address.ts";
import { openMailer, type Mailer } from "./mailer.ts";
import type { MailOptions } from "./options.ts";

let smtp: FakeSmtp;
let mailer: Mailer;
let logged: string[];
const MAIL = { to: "ada@example.org", subject: "Sign in", text: "https://x.example/?a=b\n", html: "<p>x</p>" };

async function open(change: Partial<MailOptions["server"]> = {}): Promise<void> {
  const log = openLog("debug", { write: (line: string) => void logged.push(line) });
  mailer = await openMailer({ ...smtp.options, server: { ...smtp.options.server, ...change } }, log);
}

beforeEach(async () => {
  logged = [];
  smtp = await startFakeSmtp();
  await open();
});
afterEach(async () => {
  mailer.close();
  await smtp[Symbol.asyncDispose]();
});

test("signs in, and sends sender, recipient, both bodies and the header against automatic replies", async () => {
  await mailer.send(MAIL);
  expect(smtp.signedIn).toEqual(["mailer"]);
  const [mail] = smtp.mails;
  expect(mail).toMatchObject({ from: "kernelbot@example.org", to: "ada@example.org", url: "https://x.example/?a=b" });
  expect(mail?.text).toMatch(/^From: KernelBot <kernelbot@example.org>\r\nTo: ada@example.org\r\n/m);
  expect(mail?.text).toMatch(/^Subject: Sign in\r\n/m);
  expect(mail?.text).toMatch(/^Auto-Submitted: auto-generated\r\n/m);
  expect(mail?.text).toMatch(/multipart\/alternative[^]*text\/plain[^]*text\/html/);
});

test("text, name and domain beyond ASCII, and long lines, reach a server that accepts only ASCII", async () => {
  mailer.close();
  smtp.options.from = { name: "Größe", address: "kernelbot@example.org" };
  await open();
  const to = toAddress("ada@bücher.example");
  await mailer.send({
    to,
    subject: "Zugang für Größe",
    text: `ü${"x".repeat(2000)}\n`,
    html: `<p>${"ü".repeat(1200)}</p>`,
  });
  expect(smtp.mails).toMatchObject([{ to: "ada@bücher.example" }]);
});

test("a class that signs in at once shares a few connections", async () => {
  await Promise.all(
    Array.from({ length: 40 }, (_, student) => mailer.send({ ...MAIL, to: `s${student}@example.org` })),
  );
  expect(new Set(smtp.mails.map(({ to }) => to)).size).toBe(40);
  expect(smtp.signedIn.length).toBeLessThanOrEqual(5);
});

test("an address that the server rejects is reported as the address's error, and logged", async () => {
  smtp.refusal = { step: "RCPT", code: 550, text: "No such user here" };
  await expect(mailer.send(MAIL)).rejects.toMatchObject({
    code: "unprocessable",
    message: "the mail server rejected the address ada@example.org; check its spelling",
  });
  expect(logged.join("")).toContain("No such user here");
});

test.each([
  ["a greylisted address", { step: "RCPT", code: 450, text: "Greylisted" }],
  ["a full queue", { step: "DATA", code: 452, text: "Insufficient storage" }],
  ["a rejected mail", { step: "DATA", code: 554, text: "Looks like spam" }],
  ["a rejected sender", { step: "MAIL", code: 553, text: "Sender not owned" }],
] as const)("%s is reported as temporarily unavailable, without the server's text, and logged", async (_, refusal) => {
  smtp.refusal = refusal;
  const failed = mailer.send(MAIL);
  await expect(failed).rejects.toMatchObject({ code: "unavailable" });
  await expect(failed).rejects.toThrow(/^the mail could not be sent; try again in a few minutes/);
  expect(logged.join("")).toContain(refusal.text);
  // The connection is usable again.
  smtp.refusal = undefined;
  await mailer.send(MAIL);
  expect(smtp.mails).toHaveLength(1);
});

test.each([
  ["a wrong password", { password: "wrong-secret" }],
  ["a closed port", { port: 1 }],
  ["STARTTLS that is required and not offered", { requireTls: true }],
])("%s is reported and logged without the password", async (_, change) => {
  mailer.close();
  await open(change);
  await expect(mailer.send(MAIL)).rejects.toMatchObject({ code: "unavailable" });
  expect(smtp.mails).toEqual([]);
  expect(logged.join("")).toMatch(/mail not sent/);
  expect(logged.join("")).not.toMatch(/wrong-secret|p@ss\/word/);
});

test("a certificate that no one has signed is refused before the password is sent", async () => {
  await using encrypted = await startFakeSmtp({ startTls: true });
  mailer.close();
  await open({ port: encrypted.options.server.port });
  await expect(mailer.send(MAIL)).rejects.toMatchObject({ code: "unavailable" });
  expect(encrypted.signedIn).toEqual([]);
  expect(logged.join("")).toMatch(/certificate/);
});

test("mail goes on after the server closed its connections", async () => {
  await mailer.send(MAIL);
  const { port } = smtp.options.server;
  await smtp[Symbol.asyncDispose]();
  smtp = await startFakeSmtp({ port });
  await mailer.send(MAIL);
  expect(smtp.mails).toHaveLength(1);
});
