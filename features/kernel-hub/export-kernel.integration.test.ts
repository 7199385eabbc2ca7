/** Kernels exported from submissions of a real server, whose runs the test reports. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Licence } from "@kernelbot/core";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { claimed, passing, person, ranked, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

const SOURCE = "def custom_kernel(data):\n    x, out = data\n    return out.copy_(2 * x)\n";

let server: TestServer;
let box: Awaited<ReturnType<typeof runner>>;
const place = workshop();

beforeAll(async () => {
  server = await openTestServer({ listening: true });
  box = await runner(server.database);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

function exported(...args: string[]) {
  return place.kernelbot(["export", ...args], { server: server.url, env: { KERNELBOT_TOKEN: "" } });
}

/** Enters a new account's kernel; returns the submission. */
async function entered(name: string, licence: Licence | null): Promise<number> {
  return ranked(server.database, await person(server.database, name), box, 100, { source: SOURCE, licence });
}

/** Confirms an entry by a re-run. */
async function confirm(id: number): Promise<void> {
  const moderator = server.client(await server.token("root", ["submit", "read", "admin"]));
  await moderator.moderation.rerun(id);
  await reported(server.database, box, await claimed(server.database, box), passing("ranked", [100, 100]));
}

test("a confirmed entry is exported by anyone, with a receipt that kernelbot verify accepts", async () => {
  const id = await entered("ann", "MIT");
  await confirm(id);
  const { code, out, err } = await exported("kernel", String(id), "--out", "double");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^Written to double: double, cpu, \d+ files\.\n$/);
  const read = (path: string) => readFileSync(join(place.folder, "double", path), "utf8");
  expect(read("receipt/submission.py")).toBe(SOURCE);
  expect(read("build/torch-cpu/kernel.py")).toBe(SOURCE);
  expect(read("LICENSE")).toContain("MIT License");
  expect(read("README.md")).toContain(`[submission ${id}](${server.url}/submissions/${id})`);
  const args = ["verify", "double/receipt/receipt.json", "--source", "double/receipt/submission.py"];
  const verified = await place.kernelbot(args, { server: server.url });
  expect(verified.out).toContain("The receipt is valid.");
  const again = await exported("kernel", String(id), "--out", "double");
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining('"double" already has') as string });
});

test("the package of an entry has its kernel and its tests, and states its licence", async () => {
  const id = await entered("eve", "Apache-2.0");
  await confirm(id);
  const { code, out, err } = await exported("package", String(id), "--out", "package", "--name", "twice", "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ submissionId: id, name: "twice" });
  const read = (path: string) => readFileSync(join(place.folder, "package", path), "utf8");
  expect(read("src/twice/kernel.py")).toBe(SOURCE);
  expect(read("pyproject.toml")).toContain('text = "Apache-2.0"');
  expect(read("tests/test_kernel.py")).toContain("import twice as kernel");
});

test("an export names everything that is missing, and writes nothing", async () => {
  const id = await entered("bob", null);
  const refused = await exported("kernel", String(id), "--out", "none");
  expect(refused.code).toBe(2);
  expect(refused.err).toContain(`submission ${id} cannot be exported: it has no licence`);
  expect(refused.err).toContain("its entry is provisional; a moderator confirms it by a re-run");
  await server.database.db.updateTable("account").set({ anonymous: true }).where("name", "=", "bob").execute();
  const anonymous = await exported("kernel", String(id), "--out", "none");
  expect(anonymous.err).toContain("its author publishes under a pseudonym, and the receipt names the account");
  const elsewhere = await exported("kernel", String(id), "--out", "none", "--target", "H100");
  expect(elsewhere.err).toContain('it has no ranked run that passed on "H100"');
  expect((await exported("kernel", String(id))).err).toContain("--out DIR is required");
  expect(existsSync(join(place.folder, "none"))).toBe(false);
});
