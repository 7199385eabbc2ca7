/** The server as a process with a command line. */
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "@kernelbot/api";
import { testDatabase } from "@kernelbot/testing/database.ts";
import { startFreezingRelay } from "@kernelbot/testing/freezing-relay.ts";
import { findPostmaster } from "./db/embedded/postmaster.ts";
import { startServer, stop, temporaryDataDir } from "../../../scripts/processes.ts";

const MAIN = join(import.meta.dirname, "main.ts");
const PROBLEMS = join(import.meta.dirname, "../../../tests/problems");

let dataDir: string;
beforeAll(() => void (dataDir = temporaryDataDir()));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, DATABASE_URL: undefined };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

test("the first start creates the operator, whose sign-in link gives a token; state persists after an orderly stop", async () => {
  const first = await startServer({ dataDir, problems: PROBLEMS });
  expect(first.token).toMatch(/^kb_/);
  const client = createClient({ server: first.url, token: first.token });
  const request = { board: "double", targets: ["cpu"], mode: "test", fileName: "a.py", source: "x = 1\n" } as const;
  const keys = await client.keys();
  expect(keys).toHaveLength(1);
  const { id } = await client.submit({ ...request, targets: ["cpu"] });
  await stop(first.process, "SIGTERM");
  expect(first.process.exitCode).toBe(0);

  const lines: string[] = [];
  await using second = await startServer({ dataDir, problems: PROBLEMS, onLine: (line) => lines.push(line) });
  expect(second.token).toBe("");
  expect(lines.join("\n")).toMatch(/sign in as "operator"[^]*\/sign-in\/link\?token=[^]*kernelbot-server token/);
  const again = createClient({ server: second.url, token: first.token });
  expect(await again.source(id)).toBe("x = 1\n");
  expect(await again.keys()).toEqual(keys);
});

test("creates a token next to a running server, prints only the token, which is valid immediately", async () => {
  await using server = await startServer({ dataDir, problems: PROBLEMS });
  const { code, out, err } = await run("token", "--label", "ci", "--data", dataDir);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^kb_\S{43}\n$/);
  const client = createClient({ server: server.url, token: out.trim() });
  expect((await client.submissions()).length).toBeGreaterThan(0);
  expect(await run("token", "--label", "ci", "--account", "missing", "--data", dataDir)).toMatchObject({
    code: 3,
    err: 'kernelbot-server: account "missing" not found\n',
  });
});

test("offers the configured providers, which redirect to the public URL", async () => {
  const env = {
    KERNELBOT_PUBLIC_URL: "https://kernels.example.org",
    KERNELBOT_GITHUB_CLIENT_ID: "client",
    KERNELBOT_GITHUB_CLIENT_SECRET: "hush",
  };
  await using server = await startServer({ dataDir, problems: PROBLEMS, env });
  expect(await (await fetch(`${server.url}/sign-in`)).text()).toContain("Sign in with GitHub");
  const begun = await fetch(`${server.url}/sign-in/github`, {
    method: "POST",
    headers: { origin: env.KERNELBOT_PUBLIC_URL },
    body: new URLSearchParams({ next: "/" }),
    redirect: "manual",
  });
  const address = new URL(begun.headers.get("location") ?? "");
  expect(address.origin).toBe("https://github.com");
  expect(address.searchParams.get("redirect_uri")).toBe("https://kernels.example.org/sign-in/github/callback");
  expect(begun.headers.getSetCookie().join()).toMatch(/^__Host-kernelbot_oauth=.*; Secure/);
});

test("an error that nothing handles is logged, and the server and its database end in order", async () => {
  const lines: string[] = [];
  const fault = `process.on("SIGUSR2", () => void Promise.reject(new Error("as if")));`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` };
  await using server = await startServer({ dataDir, problems: PROBLEMS, env, onLine: (line) => lines.push(line) });
  const ended = once(server.process, "exit");
  server.process.kill("SIGUSR2");
  expect(await ended).toEqual([1, null]);
  expect(findPostmaster(join(dataDir, "postgres"))).toBeUndefined();
  expect(lines.filter((line) => line.includes("as if"))).toEqual([
    expect.stringMatching(/"origin":"unhandledRejection".*"msg":"unhandled error; the server shuts down"/),
  ]);
  expect(lines).toContain("stopping");
});

test("a server whose connections to the database are cut while it starts becomes ready", async () => {
  await using home = await testDatabase();
  await using relay = await startFreezingRelay(home);
  let cuts = 0;
  const cutting = setInterval(() => {
    // Steps of the start take up to a second, so the cuts become rarer.
    if (Math.random() < 4 / (4 + cuts)) relay.cut((cuts += 1));
  }, 100);
  try {
    const key = join(dataDir, "key.pem");
    writeFileSync(key, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
    const env = { DATABASE_URL: relay.url, KERNELBOT_SIGNING_KEY: key };
    await using server = await startServer({ dataDir, problems: PROBLEMS, env });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  } finally {
    clearInterval(cutting);
  }
  expect(cuts).toBeGreaterThan(0);
});

test("reports a port in use, and leaves nothing running", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const { code, err } = await run("serve", "--port", String(port), "--data", dataDir, "--problems", PROBLEMS);
  expect(err).toBe(
    `kernelbot-server: port ${port} of 127.0.0.1 is already in use; stop the other process or choose another port with --port\n`,
  );
  expect(code).toBe(3);
  await new Promise((resolve) => other.close(resolve));
  // The data directory can be used again.
  await using server = await startServer({ dataDir, problems: PROBLEMS });
  expect(server.port).toBeGreaterThan(0);
});

test("reports all invalid options and exits with code 2", async () => {
  const { code, err } = await run("serve", "--port", "http", "--local-runner", "?");
  expect(err.split("\n")[0]).toMatch(/--port: use a number; --local-runner: use letters/);
  expect(code).toBe(2);
  expect(await run("serve", "--problems", "/nowhere", "--data", dataDir, "--port", "0")).toMatchObject({
    code: 2,
    err: expect.stringMatching(/--problems: folder "\/nowhere" not found/) as string,
  });
});
