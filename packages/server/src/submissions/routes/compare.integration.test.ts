import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiError, ComparedSubmissions, type Machine } from "@kernelbot/core";
import type { Identity } from "../../auth/identity.ts";
import { licenseSubmission } from "../licence.ts";
import { rerunSubmission } from "../../moderation/rerun.ts";
import { authenticate } from "../../auth/tokens.ts";
import { claimed, MACHINE, passing, person, ranked, reported, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let token: string;
let ann: Identity;
let box: Identity;

beforeAll(async () => {
  testServer = await openTestServer();
  token = await testServer.token("ann");
  ann = await authenticate(testServer.database, token);
  box = await runner(testServer.database);
});
afterAll(() => testServer[Symbol.asyncDispose]());

async function compared(query: string): Promise<ComparedSubmissions> {
  const response = await testServer.ask(`/api/v1/compare?${query}`, token);
  expect(response.status).toBe(200);
  return ComparedSubmissions.parse(await response.json());
}

async function refused(query: string, by: string | undefined = token): Promise<[number, string]> {
  const response = await testServer.ask(`/api/v1/compare?${query}`, by);
  return [response.status, ApiError.parse(await response.json()).detail];
}

/** Creates a ranked run with this time on this machine. Returns the id of the submission. */
async function judgedOn(machine: Machine, ns: number, source = "pass\n", by = ann): Promise<number> {
  const id = await submitted(testServer.database, by, { mode: "ranked", source });
  const run = await claimed(testServer.database, box, "cpu", { machine });
  await reported(testServer.database, box, run, passing("ranked", [ns, ns]));
  return id;
}

test("lists the target of a re-run submission once", async () => {
  const a = await ranked(testServer.database, ann, box, 100);
  await rerunSubmission(testServer.database, await person(testServer.database, "root-of-reruns", ["admin"]), a);
  expect((await compared(`a=${a}&b=${a}`)).target).toBe("cpu");
  // Leaves the queue empty for the following tests.
  await reported(testServer.database, box, await claimed(testServer.database, box), passing("ranked"));
});

test("compares two ranked runs by the speedups of their cases, with a diff of their sources", async () => {
  const a = await ranked(testServer.database, ann, box, 100, { source: "fast\n" });
  const b = await ranked(testServer.database, ann, box, 200, { source: "slow\n" });
  const { comparison, diff, ...rest } = await compared(`a=${a}&b=${b}&target=cpu`);
  expect(rest).toMatchObject({ board: "double", target: "cpu", a: { submissionId: a }, b: { submissionId: b } });
  expect(comparison).toMatchObject({ basis: "speedups", reason: null, faster: "a", machines: [] });
  expect(comparison.cases).toMatchObject([
    { case: { size: 8 }, faster: "a", a: { timeNs: { value: 100 } }, b: { timeNs: { value: 200 } } },
    { case: { size: 16 }, faster: "a" },
  ]);
  expect(comparison.cases[1]?.ratio?.value).toBeCloseTo(2, 9);
  expect(diff?.[0]?.lines).toMatchObject([
    { kind: "removed", text: "fast" },
    { kind: "added", text: "slow" },
  ]);
});

test("compares runs on two machines by speedup, and lists how the machines differ", async () => {
  const a = await judgedOn(MACHINE, 100);
  const b = await judgedOn({ ...MACHINE, driver: "580.1" }, 100);
  expect((await compared(`a=${a}&b=${b}`)).comparison).toMatchObject({
    basis: "speedups",
    faster: null,
    machines: [{ what: "driver", a: null, b: "580.1" }],
  });
});

test("compares other accounts' submissions once their source is public, without logs and machine names", async () => {
  const open = await judgedOn(MACHINE, 50, "fast\n");
  const eve = await testServer.token("eva");
  const other = await judgedOn(
    { ...MACHINE, hostname: "tower", driver: "580.1" },
    100,
    "slow\n",
    await authenticate(testServer.database, eve),
  );
  expect(await refused(`a=${open}&b=${other}`, eve)).toEqual([404, `submission ${open} not found`]);
  await licenseSubmission(testServer.database, ann, open, { licence: "MIT" });
  const response = await testServer.ask(`/api/v1/compare?a=${open}&b=${other}`, eve);
  const text = await response.text();
  const { a, comparison, diff } = ComparedSubmissions.parse(JSON.parse(text));
  expect(a).toMatchObject({ submissionId: open, account: { name: "ann" } });
  expect(comparison.cases).toMatchObject([{ a: { timeNs: { value: 50 } } }, { a: { timeNs: { value: 50 } } }]);
  expect(comparison.machines).toEqual([{ what: "driver", a: null, b: "580.1" }]);
  expect(diff?.[0]?.lines[0]).toMatchObject({ kind: "removed", text: "fast" });
  expect(text).not.toMatch(/output|detail|tower/);
  expect((await testServer.ask(`/compare/${open}/${other}`, eve)).status).toBe(200);
  await licenseSubmission(testServer.database, ann, open, { licence: null });
  expect((await refused(`a=${open}&b=${other}`, eve))[0]).toBe(404);
});

test("returns a diff for a submission that was not timed", async () => {
  const a = await ranked(testServer.database, ann, box, 100);
  const b = await submitted(testServer.database, ann, { source: "x = 2\n" });
  const { comparison, diff } = await compared(`a=${a}&b=${b}`);
  expect(comparison).toMatchObject({ basis: null, ratio: null, faster: null });
  expect(diff).toHaveLength(1);
});

test("hides submissions that the caller may not see, including whether they exist", async () => {
  const a = await ranked(testServer.database, ann, box, 100);
  const eve = await testServer.token("eve");
  const other = await submitted(testServer.database, await authenticate(testServer.database, eve));
  expect(await refused(`a=${a}&b=${a}`, eve)).toEqual([404, `submission ${a} not found`]);
  expect(await refused(`a=${other}&b=${a}`, eve)).toEqual([404, `submission ${a} not found`]);
  expect(await refused(`a=${a}&b=${other}`)).toEqual([404, `submission ${other} not found`]);
  expect((await testServer.ask(`/api/v1/compare?a=${a}&b=${a}`)).status).toBe(401);
  const admin = await testServer.token("root", ["read", "admin"]);
  expect((await testServer.ask(`/api/v1/compare?a=${a}&b=${other}`, admin)).status).toBe(200);
});

test("rejects submissions without a common board or target with an explanation", async () => {
  const both = await submitted(testServer.database, ann, { targets: ["cpu", "H100"] });
  const gpu = await submitted(testServer.database, ann, { targets: ["H100"] });
  const cpu = await submitted(testServer.database, ann);
  const triple = await submitted(testServer.database, ann, { board: "triple" });
  expect(await refused(`a=${cpu}&b=${triple}`)).toEqual([422, expect.stringMatching(/double.*triple/)]);
  expect(await refused(`a=${cpu}&b=${gpu}`)).toEqual([422, expect.stringMatching(/no target in common/)]);
  expect(await refused(`a=${both}&b=${both}`)).toEqual([422, expect.stringMatching(/name the target.*cpu and H100/)]);
  expect(await refused(`a=${both}&b=${cpu}&target=H100`)).toEqual([
    422,
    expect.stringMatching(/"H100" is not a target of both/),
  ]);
  expect((await compared(`a=${both}&b=${gpu}`)).target).toBe("H100");
  expect((await refused("a=1"))[0]).toBe(422);
});

test("compares sources of 1 MB without blocking the event loop", async () => {
  // Random lines, so that no line identifies its position in the other source.
  let state = 1;
  const line = (): string => `x${(state = (state * 1103515245 + 12345) & 0x7fffffff) % 50}`;
  const source = (): string => Array.from({ length: 200_000 }, line).join("\n");
  const own = await testServer.token("owner-of-large");
  const owner = await authenticate(testServer.database, own);
  const [a, b] = [
    await submitted(testServer.database, owner, { source: source() }),
    await submitted(testServer.database, owner, { source: source() }),
  ];
  for (const path of [`/api/v1/compare?a=${a}&b=${b}`, `/compare/${a}/${b}`]) {
    // The second request uses a worker thread that has already started.
    expect((await testServer.ask(path, own)).status).toBe(200);
    const [ofThread, ofProcess] = [process.threadCpuUsage(), process.cpuUsage()];
    expect((await testServer.ask(path, own)).status).toBe(200);
    expect(process.threadCpuUsage(ofThread).user).toBeLessThan(process.cpuUsage(ofProcess).user / 2);
  }
});

test("rejects more than 30 comparisons per minute with a retry time", async () => {
  const own = await testServer.token("comparer");
  const id = await submitted(testServer.database, await authenticate(testServer.database, own));
  const statuses: number[] = [];
  for (let at = 0; at < 30; at += 1) {
    statuses.push((await testServer.ask(`/api/v1/compare?a=${id}&b=${id}`, own)).status);
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
  const refusal = await testServer.ask(`/compare/${id}/${id}`, own);
  expect([refusal.status, refusal.headers.get("retry-after")]).toEqual([429, "60"]);
});
