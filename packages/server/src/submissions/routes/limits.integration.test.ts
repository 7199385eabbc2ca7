/** Limits belong to an account: each mode has one allowance, however the submission arrives. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MODES, Submission, type ApiError, type Limits, type Mode, type SubmitRequest } from "@kernelbot/core";
import { setServerLimits } from "../raised-limits.ts";
import { linkIdentity, signIn } from "../../auth/identities.ts";
import type { ProviderUser } from "../../auth/providers.ts";
import { authenticate } from "../../auth/tokens.ts";
import { ANN, linked, openDiscordScene } from "@kernelbot/testing/discord/discord.ts";
import { HERE } from "@kernelbot/testing/fake-browser.ts";
import { applicationProblemFiles, problemTree, request } from "@kernelbot/testing/fixtures.ts";
import { syncProblems } from "../../problems/sync.ts";
import { newKey } from "./editor-form.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let person = 0;
/** An account without submissions. */
let name: string;
let token: string;

beforeAll(async () => {
  testServer = await openTestServer();
  // Accepts every mode.
  await syncProblems(testServer.database, problemTree({ "set/double": applicationProblemFiles() }));
});
afterAll(() => testServer[Symbol.asyncDispose]());
beforeEach(async () => {
  person += 1;
  name = `person-${person}`;
  token = await testServer.token(name);
});

const RIVAL = { fileName: "rival.py", source: "other\n" };
const BROWSER = { address: "192.0.2.1", userAgent: "Browser/1" };

function submit(by = token, change: Partial<SubmitRequest> = {}, headers = {}): Promise<Response> {
  const { mode = "ranked" } = change;
  return testServer.ask("/api/v1/submissions", by, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(request({ mode, ...(mode === "duel" && { rival: RIVAL }), ...change })),
  });
}

/** Returns the status of a response and the remaining allowance in its headers. */
function limitOf({ status, headers }: Response): unknown {
  return [status, headers.get("ratelimit")?.replace(/;t=\d+/, ";t")];
}

const LEFT = { status: 202, one: '"ranked-per-hour";r=1', none: '"ranked-per-hour";r=0;t' };
const REFUSED = [429, '"ranked-per-hour";r=0;t'];

test.each(MODES)(
  "a limit on %s submissions applies to that mode only and is returned with each response",
  async (mode) => {
    await setServerLimits(testServer.database, { [`${mode}PerHour`]: 2 });
    const answers = [];
    for (let count = 0; count < 3; count += 1) answers.push(await submit(token, { mode }));
    const field = `"${mode}-per-hour"`;
    expect(answers.map(limitOf)).toEqual([
      [202, `${field};r=1`],
      [202, `${field};r=0;t`],
      [429, `${field};r=0;t`],
    ]);
    expect(answers[2]?.headers.get("ratelimit-policy")).toBe(`${field};q=2;w=3600;qu="requests"`);
    expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(3500);
    const { detail } = (await answers[2]?.json()) as ApiError;
    expect(detail).toMatch(
      `the server of double: 0 of 2 ${mode} submissions within an hour are left; the next is accepted at `,
    );
    for (const other of MODES.filter((each) => each !== mode)) {
      expect(limitOf(await submit(token, { mode: other }))).toEqual([202, undefined]);
    }
  },
);

test.each<[Mode, Limits]>([
  ["profile", { profileConcurrent: 2 }],
  ["duel", { duelConcurrent: 2 }],
])("a %s submission to two targets counts as two concurrent runs, and a duel too", async (mode, limits) => {
  await setServerLimits(testServer.database, limits);
  const field = `"${mode}-concurrent"`;
  expect(limitOf(await submit(token, { mode, targets: ["cpu", "H100"] }))).toEqual([202, `${field};r=0`]);
  const refused = await submit(token, { mode });
  expect(limitOf(refused)).toEqual([429, `${field};r=0`]);
  expect(refused.headers.get("retry-after")).toBe("10");
  expect(refused.headers.get("ratelimit-policy")).toBe(`${field};q=2;qu="concurrent-requests"`);
});

test("a second token of the account shares its allowance", async () => {
  await setServerLimits(testServer.database, { rankedPerHour: 2 });
  const second = await testServer.token(name);
  expect(limitOf(await submit())).toEqual([LEFT.status, LEFT.one]);
  expect(limitOf(await submit(second))).toEqual([LEFT.status, LEFT.none]);
  for (const each of [token, second, await testServer.token(name)])
    expect(limitOf(await submit(each))).toEqual(REFUSED);
});

test("all providers and tokens of an account share its allowance", async () => {
  await setServerLimits(testServer.database, { rankedPerHour: 2 });
  const vouched = (provider: ProviderUser["provider"]): ProviderUser => ({ provider, subject: `4711-${person}`, name });
  const owner = { ...(await authenticate(testServer.database, token)), scopes: ["account" as const] };
  for (const provider of ["github", "discord"] as const)
    await linkIdentity(testServer.database, owner, vouched(provider));

  async function byBrowser(provider: ProviderUser["provider"]): Promise<Response> {
    const session = await signIn(testServer.database, vouched(provider), BROWSER);
    const form = new FormData();
    const fields = { mode: "ranked", target: "cpu", fileName: "kernel.py", source: "pass\n", key: newKey() };
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    const headers = { origin: HERE, cookie: `kernelbot_session=${session}` };
    return testServer.ask("/problems/double/submit", undefined, { method: "POST", headers, body: form });
  }
  expect(limitOf(await byBrowser("github"))).toEqual([303, LEFT.one]);
  expect(limitOf(await byBrowser("discord"))).toEqual([303, LEFT.none]);
  const refused = await byBrowser("github");
  expect(limitOf(refused)).toEqual(REFUSED);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3500);
  expect(limitOf(await submit())).toEqual(REFUSED);
});

test("submissions by a linked account over Discord share its allowance", async () => {
  await setServerLimits(testServer.database, { rankedPerHour: 2 });
  await using scene = await openDiscordScene(testServer.database);
  await linked(testServer.database, ANN, await authenticate(testServer.database, token));
  const handIn = async (): Promise<string> => {
    const options = { script: scene.fake.attach("kernel.py", "pass\n"), leaderboard_name: "double", gpu: "cpu" };
    const { token: answer } = await scene.send({ user: ANN, command: "leaderboard submit ranked", options });
    await scene.runPending();
    return scene.fake.answers(answer)[0]?.content ?? "";
  };
  expect(await handIn()).toContain("queued");
  expect(limitOf(await submit())).toEqual([LEFT.status, LEFT.none]);
  expect(await handIn()).toContain("0 of 2 ranked submissions within an hour are left");
  expect(limitOf(await submit())).toEqual(REFUSED);
});

test("submissions by the popcorn client share the account's allowance", async () => {
  await setServerLimits(testServer.database, { rankedPerHour: 1 });
  const form = new FormData();
  form.set("file", new File(["pass\n"], "kernel.py"));
  const byPopcorn = (): Promise<Response> =>
    testServer.ask("/submission/double/cpu/leaderboard", undefined, {
      method: "POST",
      headers: { "x-popcorn-cli-id": token },
      body: form,
    });
  expect(limitOf(await byPopcorn())).toEqual([202, LEFT.none]);
  expect(limitOf(await submit())).toEqual(REFUSED);
  expect(limitOf(await byPopcorn())).toEqual(REFUSED);
});

test("other accounts have their own allowance, and repeated requests are not counted", async () => {
  await setServerLimits(testServer.database, { rankedPerHour: 1 });
  const key = { "idempotency-key": "once" };
  const first = await submit(token, {}, key);
  expect(limitOf(first)).toEqual([LEFT.status, LEFT.none]);
  const second = await testServer.token(name);
  const again = await submit(second, {}, key);
  expect(again.status).toBe(202);
  expect(Submission.parse(await again.json()).id).toBe(Submission.parse(await first.json()).id);
  expect(limitOf(await submit(await testServer.token(`${name}-not`)))).toEqual([LEFT.status, LEFT.none]);
});
