/** A competition from its file to its data set on a server without any optional feature: server, judge, command line. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { createClient, type Client } from "@kernelbot/api";
import { OPTIONAL_FEATURES } from "@kernelbot/features/index.ts";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { CLI, startServer, tokenByLink, type RunningServer } from "../scripts/processes.ts";

const KERNEL = "def custom_kernel(data):\n    x, out = data\n    return out.copy_(x + x)\n";
const WRONG = "def custom_kernel(data):\n    x, out = data\n    return out.copy_(x)\n";
const HOUR_MS = 3_600_000;

let server: RunningServer;
let operator: Client;
let folder: string;

beforeAll(async () => {
  const without = OPTIONAL_FEATURES.map(({ name }) => name).join();
  const problems = resolve(import.meta.dirname, "problems");
  server = await startServer({ problems, localRunner: "cpu", env: { KERNELBOT_WITHOUT: without } });
  operator = createClient({ server: server.url, token: server.token });
  folder = mkdtempSync(join(inject("scratch"), "without-"));
});
afterAll(() => server[Symbol.asyncDispose]());

/** Runs the command line with a token, and returns what it prints. */
async function kernelbot(token: string, ...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: folder, KERNELBOT_SERVER: server.url, KERNELBOT_TOKEN: token };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], { cwd: folder, env });
  return stdout;
}

function competitionFile(endsAt: number): string {
  writeFileSync(
    join(folder, "spring.yml"),
    `name: spring
title: Spring kernels
starts_at: ${new Date(Date.now() - HOUR_MS).toISOString()}
ends_at: ${new Date(endsAt).toISOString()}
problems: [double]
participants: members
licence: MIT
`,
  );
  return "spring.yml";
}

test("a competition is created, joined, entered, ranked and exported", { timeout: 2_000_000 }, async () => {
  await kernelbot(server.token, "admin", "competition", "create", competitionFile(Date.now() + HOUR_MS));
  const link = await kernelbot(server.token, "admin", "invite-links", "create", "spring", "--uses", "1");
  expect(link).toContain("/join/");
  const [code = ""] = (await kernelbot(server.token, "admin", "invites", "create", "-c", "spring")).trim().split("\n");
  const { url } = await operator.signInLink({ name: "ann", create: true });
  const ann = await tokenByLink(server.url, url, ["submit", "read"]);
  expect(await kernelbot(ann, "join", code)).toContain("You have joined spring.");

  await submitRanked(ann, "wrong.py", WRONG, 1);
  await submitRanked(ann, "kernel.py", KERNEL, 0);
  const client = createClient({ server: server.url, token: ann });
  const [correct, wrong] = await client.submissions({ limit: 2 });
  expect([correct, wrong].map((each) => each?.runs[0]?.verdict)).toEqual(["passed", "failed"]);
  const id = correct?.id ?? 0;

  expect(await kernelbot(ann, "board", "double", "--target", "cpu")).toMatch(new RegExp(` 1 +ann .* ${id} `));
  expect(await page("/boards/double/cpu", ann)).toContain(`/submissions/${id}`);
  expect(await page(`/submissions/${id}`, ann)).toContain("Passed");

  await kernelbot(ann, "receipt", String(id), "--out", "receipt.json");
  expect(await kernelbot(ann, "verify", "receipt.json")).toContain("The receipt is valid.");

  await kernelbot(server.token, "admin", "competition", "change", competitionFile(Date.now() - 1));
  await kernelbot(server.token, "dataset", "export", "--competition", "spring", "--out", "data");
  expect(readdirSync(join(folder, "data", "spring"))).toContain("submissions.parquet");
  expect(await kernelbot(server.token, "dataset", "top", "--data", "data")).toMatch(
    new RegExp(`double .* ann .* ${id} `),
  );
});

/** Submits a kernel and waits for its end, which has an exit code. */
async function submitRanked(token: string, file: string, source: string, exit: number): Promise<void> {
  writeFileSync(join(folder, file), source);
  const args = ["submit", file, "--board", "double", "--target", "cpu", "--mode", "ranked"];
  const ended = await kernelbot(token, ...args).then(
    () => 0,
    (error: unknown) => (error as { code: number }).code,
  );
  expect(ended).toBe(exit);
}

async function page(path: string, token: string): Promise<string> {
  const headers = { accept: "text/html", authorization: `Bearer ${token}` };
  const response = await fetch(`${server.url}${path}`, { headers });
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

test.each(OPTIONAL_FEATURES.map((feature) => [feature.name, feature] as const))(
  "no route of %s exists",
  async (_, { pages = [], endpoints = [] }) => {
    const routes = [
      ...pages.map(({ method, path }) => ({ method, path })),
      ...endpoints.map(({ contract: { method, path } }) => ({ method, path: `/api/v1${path}` })),
    ];
    for (const { method, path } of routes) {
      const response = await fetch(`${server.url}${withValues(path)}`, {
        ...{ method: method.toUpperCase(), headers: { authorization: `Bearer ${server.token}` } },
      });
      expect([path, response.status, await response.text()]).toEqual([path, 404, expect.stringContaining("No route")]);
    }
  },
);

/** Replaces the parameters of a path by values that they allow: `/lti/:secret{[a-z]{43}}`, `/lti/platforms/{id}`. */
function withValues(path: string): string {
  return path.replaceAll(/:\w+(\{(?:[^{}]|\{\d+\})+\})?|\{\w+\}/g, (_, pattern: string | undefined) =>
    pattern?.includes("{43}") === true ? "a".repeat(43) : "1",
  );
}
