import { expect, test } from "vitest";
import { toAddress } from "./address.ts";

test.each([
  ["ada@example.org", "ada@example.org"],
  [" Ada.Lovelace+kernels@EXAMPLE.org ", "ada.lovelace+kernels@example.org"],
  ["ada@bücher.example", "ada@xn--bcher-kva.example"],
  ["o'brien@example.рф", "o'brien@example.xn--p1ai"],
  ["ada@localhost", "ada@localhost"],
])("%j identifies %s", (typed, address) => {
  expect(toAddress(typed)).toBe(address);
});

test.each([
  "",
  "ada",
  "@example.org",
  "ada@",
  "ada@example.org\r\nBcc: all@example.org",
  "ada\r\n@example.org",
  "ada@example.org,bob@example.org",
  "ada@example.org bob@example.org",
  "<ada@example.org>",
  '"ada lovelace"@example.org',
  "ada@example.org\u0000",
  "ada@ex\u202Eample.org",
  "ädä@example.org",
  "ada@exam ple.org",
  "ada@[127.0.0.1]",
  `${"a".repeat(250)}@example.org`,
])("%j is not an address", (typed) => {
  expect(() => toAddress(typed)).toThrow(/is not a valid e-mail address; use one such as ada@example.org/);
});

test("only addresses of listed domains are accepted, and none of their subdomains", () => {
  const domains = ["example.edu", "xn--bcher-kva.example"];
  expect(toAddress("ada@Example.EDU", domains)).toBe("ada@example.edu");
  expect(toAddress("ada@BÜCHER.example", domains)).toBe("ada@xn--bcher-kva.example");
  for (const other of ["ada@example.org", "ada@cs.example.edu", "ada@example.edu.example.org", "ada@notexample.edu"]) {
    expect(() => toAddress(other, domains)).toThrow(/accepts only e-mail addresses of example\.edu, xn--/);
  }
});
