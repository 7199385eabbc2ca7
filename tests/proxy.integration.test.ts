/**
 * Programs behind an outgoing proxy: hosts below `.test` do not exist, so they are reached through the proxy only. The
 * certificate of the site is signed by an authority that only the environment names.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { findPython } from "@kernelbot/tester";
import { startFakeS3 } from "@kernelbot/testing/fake-s3.ts";
import { startForwardProxy, type ForwardProxy } from "@kernelbot/testing/forward-proxy.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { environment, startServer } from "../scripts/processes.ts";

const ROOT = join(import.meta.dirname, "..");
const SITE = "https://kernels.test";

let site: TestServer;
let tls: Server;
let proxy: ForwardProxy;
let certificate: string;
let token: string;

beforeAll(async () => {
  const folder = mkdtempSync(join(inject("scratch"), "proxy-"));
  const key = join(folder, "key.pem");
  certificate = join(folder, "certificate.pem");
  const subject = ["-subj", "/CN=kernels.test", "-addext", "subjectAltName=DNS:kernels.test"];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", [...made, ...subject, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  site = await openTestServer({ listening: true });
  token = await site.token("ann", ["submit", "read", "runner"], ["cpu"]);
  tls = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
    const upstream = connect(Number(new URL(site.url).port), "127.0.0.1");
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve));
  proxy = await startForwardProxy((tls.address() as AddressInfo).port);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  tls.close();
  await site[Symbol.asyncDispose]();
});
beforeEach(() => {
  proxy.requests.length = 0;
});

/** Runs a program that knows the proxy and the certificate. @returns its output, errors included */
function run(file: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const own = {
    HTTPS_PROXY: proxy.url,
    KERNELBOT_SERVER: SITE,
    KERNELBOT_TOKEN: token,
    NODE_EXTRA_CA_CERTS: certificate,
  };
  return new Promise((resolve) => {
    execFile(file, args, { env: { ...environment(), ...own, ...env } }, (_, out, err) => resolve(`${out}${err}`));
  });
}

test("the command line reaches a server through the proxy", async () => {
  expect(await run(process.execPath, [inject("commandLine"), "board", "double", "--target", "cpu"])).toContain(
    "double",
  );
  expect(new Set(proxy.requests)).toEqual(new Set(["CONNECT kernels.test:443"]));
  expect(
    await run(process.execPath, [inject("commandLine"), "board", "double", "--target", "cpu"], { HTTPS_PROXY: "" }),
  ).toContain("ENOTFOUND");
});

test("a server on this machine, and hosts of NO_PROXY, are reached directly", async () => {
  const args = [inject("commandLine"), "board", "double", "--target", "cpu"];
  const env = { HTTP_PROXY: proxy.url, KERNELBOT_SERVER: site.url };
  expect(await run(process.execPath, args, env)).toContain("double");
  expect(await run(process.execPath, args, { NO_PROXY: ".test" })).toContain("ENOTFOUND");
  expect(proxy.requests).toEqual([]);
});

test("the requests of a runner, its long poll included, pass the proxy", async () => {
  const script = `
    import { useProxy } from "${ROOT}/packages/api/src/proxy.ts";
    import { ServerClient } from "${ROOT}/packages/runner/src/server/server-client.ts";
    useProxy(process.env);
    const client = new ServerClient(new URL("${SITE}"), "${token}", console.error);
    const machine = ${JSON.stringify((await import("@kernelbot/testing/fixtures.ts")).MACHINE)};
    const request = { target: "cpu", runner: "box", machine, waitMs: 500 };
    console.log(await client.claim(request, AbortSignal.timeout(20_000)));`;
  expect(await run(process.execPath, ["--input-type=module-typescript", "-e", script])).toBe("undefined\n");
  expect(proxy.requests).toEqual(["CONNECT kernels.test:443"]);
});

test("a webhook is sent to the address that was checked, with the name in TLS and as the host", async () => {
  const script = `
    import { send } from "${ROOT}/packages/server/src/webhooks/send.ts";
    const resolver = (name, options, callback) => callback(null, [{ address: "93.184.216.34", family: 4 }]);
    console.log(JSON.stringify(await send("${SITE}/hook", {}, "{}", { allowPrivate: false, resolver })));`;
  const outcome = await run(process.execPath, ["--input-type=module-typescript", "-e", script]);
  expect(JSON.parse(outcome)).toMatchObject({
    status: 404,
    error: "the receiver responded with 404; expected 200 to 299",
  });
  expect(proxy.requests).toEqual(["CONNECT 93.184.216.34:443"]);
});

test("the Python client reaches a server through a proxy with a password", async () => {
  const { path } = await findPython();
  const script = "from kernelbot import Client; print([problem.name for problem in Client().problems()])";
  const env = { PYTHONPATH: join(ROOT, "clients/python"), SSL_CERT_FILE: certificate };
  expect(await run(path, ["-c", script], env)).toContain("double");
  expect(proxy.requests).toEqual(["CONNECT kernels.test:443"]);
});

test("a server reaches its bucket, its issuer and Discord through the proxy", async () => {
  await using s3 = await startFakeS3();
  const { hostname, port } = new URL(s3.env.AWS_ENDPOINT_URL_S3 ?? "");
  expect(hostname).toBe("127.0.0.1");
  await using outgoing = await startForwardProxy(Number(port));
  await using server = await startServer({
    env: {
      ...s3.env,
      ...{ HTTP_PROXY: outgoing.url, HTTPS_PROXY: outgoing.url, KERNELBOT_PUBLIC_URL: "http://127.0.0.1" },
      AWS_ENDPOINT_URL_S3: "http://bucket.test",
      ...{
        KERNELBOT_OIDC_ISSUER: "https://issuer.test",
        KERNELBOT_OIDC_CLIENT_ID: "x",
        KERNELBOT_OIDC_CLIENT_SECRET: "x",
      },
      ...{ KERNELBOT_DISCORD_BOT_TOKEN: "x", KERNELBOT_DISCORD_APPLICATION_ID: "1" },
      ...{ KERNELBOT_DISCORD_API_URL: "http://discord.test", KERNELBOT_DISCORD_PUBLIC_KEY: "0".repeat(64) },
    },
  });
  const ready = await fetch(`${server.url}/readyz`);
  expect(await ready.json()).toMatchObject({ ready: true });
  await vi.waitFor(() => {
    expect(new Set(outgoing.requests)).toEqual(
      new Set(["CONNECT bucket.test:80", "CONNECT issuer.test:443", "CONNECT discord.test:80"]),
    );
  });
});
