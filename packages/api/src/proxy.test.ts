import { expect, test } from "vitest";
import { formatProxy, proxyEnvironment, useProxy } from "./proxy.ts";

test("an address without a scheme is that of an HTTP proxy", () => {
  expect(proxyEnvironment({ HTTPS_PROXY: "proxy.test:3128", NO_PROXY: ".example.org" })).toEqual({
    https_proxy: "http://proxy.test:3128",
    no_proxy: ".example.org,localhost,127.0.0.1,::1,[::1]",
  });
});

test.each(["http://", "http://h:99999", "socks4://h:1", "::"])(
  "the invalid address %s is reported and ignored",
  (url) => {
    expect(proxyEnvironment({ http_proxy: url })).toBeUndefined();
    expect(useProxy({ http_proxy: url })).toBe(
      "HTTP_PROXY: ignored, because the value is not the address of an HTTP proxy; use http://HOST:PORT",
    );
  },
);

test("reports contain no password", () => {
  expect(formatProxy({ https_proxy: "ann:s3cret@proxy.test:3128" })).toMatch(
    /^ \(HTTPS_PROXY http:\/\/proxy.test:3128,/,
  );
});
