import type { ClaimRequest, RunnerCheckRequest } from "@kernelbot/core";
import { expect, test } from "vitest";
import { authenticate, issueToken } from "../auth/tokens.ts";
import { waitForWork } from "../queue/claim.ts";
import { claimed, claimWait, H100, MACHINE, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import type { Identity } from "../auth/identity.ts";
import { checkRunner } from "./join.ts";
import { listRunners } from "./list.ts";
import { DEFAULT_POLICY } from "./policy.ts";

useScene();

const ONE = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";

function asking(change: Partial<ClaimRequest> = {}): ClaimRequest {
  return { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0, ...change };
}

async function joining(runners: number) {
  const accountId = root.account.id;
  const token = await issueToken(database, { accountId, label: "t", scopes: ["runner"], targets: ["cpu"], runners });
  return authenticate(database, token);
}

const listed = () => listRunners(database, root, DEFAULT_POLICY);

test("rejects a machine that does not match its target, assigns it no run, and lists it with the reason", async () => {
  await submitted(database, ann, { targets: ["H100"] });
  const claim = waitForWork(database, box, asking({ target: "H100", waitMs: 60_000 }));
  await expect(claim).rejects.toMatchObject({
    code: "forbidden",
    message: expect.stringMatching(/^the target H100 is NVIDIA H100 .* and "box" has no accelerator/) as string,
  });
  expect(await listed()).toMatchObject([
    { target: "H100", state: "gone", refused: expect.stringMatching(/H100/) as string },
  ]);
  const run = await claimWait(database, box, asking({ target: "H100", machine: H100 }));
  expect(run).not.toBeNull();
  expect(await listed()).toMatchObject([{ state: "working", refused: null }]);
});

test("an operator defines the hardware of a custom target", async () => {
  const policy = { ...DEFAULT_POLICY, hardware: new Map([["H100", /^Fast.*$/]]) };
  const claim = waitForWork(database, box, asking({ target: "H100", machine: H100 }), undefined, { policy });
  await expect(claim).rejects.toThrow("the device that this server's operator configured: ^Fast.*$");
});

test("a token for one runner accepts the first name and no other", async () => {
  const token = await joining(1);
  expect(await claimWait(database, token, asking({ runner: "one" }))).toBeNull();
  await submitted(database, ann);
  await expect(claimWait(database, token, asking({ runner: "two" }))).rejects.toThrow(
    'this token already has a runner named "one", so "two" cannot join',
  );
  expect(await claimWait(database, token, asking({ runner: "one" }))).toMatchObject({ attempt: 1 });
  expect(await listed()).toHaveLength(1);
});

test("a check accepts and rejects as a claim would, and records nothing", async () => {
  const check = (token: Identity, request: Partial<RunnerCheckRequest> = {}) =>
    checkRunner(database, token, { target: "cpu", runner: "one", machine: MACHINE, ...request }, DEFAULT_POLICY);
  const token = await joining(1);
  expect(await check(token)).toEqual({ tokenExpiresAt: null });
  expect(await listed()).toEqual([]);
  await expect(check(token, { target: "H100", machine: H100 })).rejects.toThrow(
    'this token may claim for cpu, and not for "H100"',
  );
  await expect(check(box, { target: "H100" })).rejects.toThrow("start the runner for this machine's own target");
  expect(await check(box, { target: "H100", machine: null })).toEqual({ tokenExpiresAt: null });
  await claimWait(database, token, asking({ runner: "one" }));
  expect(await check(token)).toEqual({ tokenExpiresAt: null });
  await expect(check(token, { runner: "two" })).rejects.toThrow('this token already has a runner named "one"');
});

test("of two processes with one name the second waits until the first has ended", async () => {
  const leaving = new AbortController();
  const first = claimWait(database, box, asking({ instance: ONE, waitMs: 60_000 }), leaving.signal);
  await expect.poll(listed).toMatchObject([{ state: "waiting" }]);
  const second = asking({ instance: OTHER, machine: { ...MACHINE, hostname: "imposter" } });
  for (const claim of [second, asking()]) {
    await expect(claimWait(database, box, claim)).rejects.toMatchObject({
      code: "too_many_requests",
      retryAfterS: 5,
      message: expect.stringContaining('another runner process named "box" is using this token on "box"') as string,
    });
  }
  expect(await listed()).toMatchObject([{ hostname: "box" }]);
  leaving.abort();
  await first;
  expect(await claimWait(database, box, second)).toBeNull();
  expect(await listed()).toMatchObject([{ hostname: "imposter" }]);
});

test("a working runner keeps its name for its whole run", async () => {
  await submitted(database, ann);
  expect(await claimWait(database, box, asking({ instance: ONE }))).not.toBeNull();
  await expect(claimWait(database, box, asking({ instance: OTHER }))).rejects.toMatchObject({
    code: "too_many_requests",
  });
});

test("a runner whose token expires while it waits gets no run", async () => {
  const waiting = claimWait(database, box, asking({ waitMs: 60_000 }));
  waiting.catch(() => undefined);
  await expect.poll(listed).toHaveLength(1);
  await database.sql`update token set revoked_at = now() where id = ${box.tokenId}`;
  await submitted(database, ann);
  await expect(waiting).rejects.toMatchObject({ code: "unauthorized" });
  await expect(claimed(database, box)).rejects.toThrow("no run is queued for cpu");
});
