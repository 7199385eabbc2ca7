import { FakeServer } from "@kernelbot/testing/runner/fake-server.ts";
import { MACHINE } from "@kernelbot/testing/machine.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clockCheck, serverChecks } from "./server-checks.ts";

let server: FakeServer;
beforeEach(async () => {
  server = await new FakeServer().start();
});
afterEach(() => server.stop());

const check = (change: { token?: string | null; target?: string | null; server?: URL } = {}, machine = MACHINE) =>
  serverChecks({ server: server.url, token: "secret", target: "cpu", name: "box", json: false, ...change }, machine);

test("a server that accepts the runner is reported with the token's expiry", async () => {
  expect(await check()).toEqual([
    { name: "server", ok: true, detail: server.url.href, fix: null },
    { name: "clock skew", ok: true, detail: "agrees with the server", fix: null },
    { name: "token", ok: true, detail: "valid for cpu until 2030-01-31T12:00:00.000Z on this hardware", fix: null },
  ]);
  expect(server.requests).toEqual(["POST check"]);
});

test("a token that the server does not know fails with the command that creates one", async () => {
  expect((await check({ token: "wrong" })).at(-1)).toMatchObject({
    ok: false,
    detail: expect.stringContaining("returned 401: this token is not known") as string,
    fix: "Create a token: kernelbot runners add cpu",
  });
});

test("hardware that is not the target's fails with the server's reason", async () => {
  expect((await check({ target: "H100" })).at(-1)).toMatchObject({
    ok: false,
    detail: expect.stringMatching(
      /returned 403: the target H100 is .*start the runner for this machine's own target/,
    ) as string,
  });
});

test("a missing token fails, and a missing target leaves the token unchecked", async () => {
  expect((await check({ token: null })).at(-1)).toMatchObject({ ok: false, detail: "no token is given" });
  expect((await check({ target: null })).at(-1)).toMatchObject({ ok: true, detail: "not checked without --target" });
  expect(server.requests).toEqual([]);
});

test("a server that cannot be reached fails with the command that shows why", async () => {
  const { url } = server;
  await server.stop();
  expect(await check({ server: url })).toEqual([
    {
      name: "server",
      ok: false,
      detail: `${url.href} cannot be reached (ECONNREFUSED)`,
      fix: `Try: curl -i ${url.href}healthz on this machine, and correct --server, the firewall or the proxy`,
    },
  ]);
});

test("an address without a KernelBot server fails", async () => {
  expect(await check({ server: new URL("nothing/", server.url) })).toMatchObject([
    { ok: false, fix: "Use the address of a KernelBot server" },
  ]);
});

test("a clock that differs from the server's is reported with the direction and does not fail", () => {
  const date = "Thu, 01 Jan 2026 00:00:00 GMT";
  const at = Date.parse(date);
  expect(clockCheck(date, at + 900)).toMatchObject({ ok: true, detail: "agrees with the server", fix: null });
  expect(clockCheck(date, at - 60_000)).toMatchObject({ ok: true, detail: "60 s behind the server" });
  expect(clockCheck(date, at + 60_000)?.fix).toContain("timedatectl set-ntp true");
  expect(clockCheck(null, at)).toBeNull();
});
