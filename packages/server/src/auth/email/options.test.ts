import { expect, test } from "vitest";
import { readMailOptions } from "./options.ts";

const FROM = { KERNELBOT_MAIL_FROM: "kernelbot@example.org" };

test("without variables there is no sign-in by e-mail", () => {
  expect(readMailOptions({})).toBeUndefined();
});

test.each([
  ["smtp://mail.example.org", { host: "mail.example.org", port: 587, secure: false, user: "" }],
  ["smtp://mail:25", { host: "mail", port: 25, secure: false, requireTls: false }],
  ["smtps://mail.example.org/", { port: 465, secure: true, requireTls: false }],
  ["smtp://a%40b:p%2Fw@mail:2525", { user: "a@b", password: "p/w", port: 2525, requireTls: true }],
  ["smtp://a:b@127.0.0.1", { requireTls: false }],
  ["smtp://a:b@[::1]:25", { host: "::1", requireTls: false }],
])("%s is a mail server", (url, server) => {
  expect(readMailOptions({ ...FROM, KERNELBOT_SMTP_URL: url })?.server).toMatchObject(server);
});

test.each([
  ["kernelbot@example.org", { name: "", address: "kernelbot@example.org" }],
  ["Kernel contest <Noreply@Example.org>", { name: "Kernel contest", address: "noreply@example.org" }],
  ['"Kernels, fast" <a@example.org>', { name: "Kernels, fast", address: "a@example.org" }],
])("%s is a sender", (sender, from) => {
  const env = { KERNELBOT_SMTP_URL: "smtp://mail", KERNELBOT_MAIL_FROM: sender };
  expect(readMailOptions(env)?.from).toEqual(from);
});

test("errors name every variable and hide the password", () => {
  const wrong = { KERNELBOT_SMTP_URL: "http://a:hush@mail", KERNELBOT_MAIL_DOMAINS: "example.org, @example.edu *.x.y" };
  const read = () => readMailOptions(wrong);
  expect(read).toThrow(
    'KERNELBOT_SMTP_URL: use smtp://USER:PASSWORD@HOST:PORT or smtps://…; KERNELBOT_MAIL_FROM: "" must be an address ' +
      'or NAME <ADDRESS>; KERNELBOT_MAIL_DOMAINS: "@example.edu" must be a domain such as example.org; ' +
      'KERNELBOT_MAIL_DOMAINS: "*.x.y" must be a domain such as example.org',
  );
  expect(read).not.toThrow(/hush/);
  const read2 = () => readMailOptions({ ...FROM, KERNELBOT_SMTP_URL: "smtp://a:%@mail" });
  expect(read2).toThrow(/KERNELBOT_SMTP_URL/);
});

test("domains are compared in lower-case ASCII", () => {
  const env = { ...FROM, KERNELBOT_SMTP_URL: "smtp://mail", KERNELBOT_MAIL_DOMAINS: "Example.EDU,bücher.example" };
  expect(readMailOptions(env)?.domains).toEqual(["example.edu", "xn--bcher-kva.example"]);
});
