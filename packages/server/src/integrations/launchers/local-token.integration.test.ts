import { beforeEach, expect, test } from "vitest";
import { ensureOperator } from "../../auth/operator.ts";
import { authenticate, createToken, forgetIdentities, revokeToken } from "../../auth/tokens.ts";
import { listRunners } from "../../runners/list.ts";
import { DEFAULT_POLICY } from "../../runners/policy.ts";
import { changeRunnerStatus } from "../../runners/status.ts";
import { claimWait, MACHINE, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { createLocalToken } from "./local-token.ts";

useScene();

beforeEach(async () => {
  await ensureOperator(database);
});

/** Starts a server whose local runner then asks for work; neither is shut down. */
async function started(instance: string, place = "", waitMs = 0) {
  const { token, release } = await createLocalToken(database, "cpu", place);
  release();
  const identity = await authenticate(database, token);
  const request = { target: "cpu", runner: "local cpu", machine: MACHINE, instance, waitMs };
  return { token, claim: claimWait(database, identity, request) };
}

const ONE = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const listed = () => listRunners(database, root, DEFAULT_POLICY);

test("a paused local runner stays paused after a restart", async () => {
  await (
    await started(ONE)
  ).claim;
  const [runner] = await listed();
  await changeRunnerStatus(database, root, runner?.id ?? 0, { to: "pause", reason: "too hot" });
  await submitted(database, ann);
  await expect((await started(OTHER)).claim).rejects.toThrow("runner command: pause, by root: too hot");
  expect(await listed()).toMatchObject([{ id: runner?.id, adminState: "paused", reason: "too hot" }]);
});

test("a local runner gets work immediately after its server was killed, idle or busy", async () => {
  const killed = await started(ONE, "", 60_000);
  await expect.poll(listed).toMatchObject([{ state: "waiting" }]);
  await submitted(database, ann);
  expect(await killed.claim).toMatchObject({ attempt: 1 });
  await submitted(database, ann);
  expect(await (await started(OTHER)).claim).toMatchObject({ attempt: 1 });
  expect(await listed()).toHaveLength(1);
});

test("repeated starts keep one expiring token, which does not count towards the operator's limit", async () => {
  for (let n = 0; n < 100; n += 1) (await createLocalToken(database, "cpu", "")).release();
  const tokens = await database.sql<{ days: number }>`
    select round(extract(epoch from expires_at - now()) / 86400)::integer as days from token
    where revoked_at is null and label = 'local runner cpu'`;
  expect(tokens).toEqual([{ days: 7 }]);
  const operator = { ...root, account: { id: "operator", name: "operator" } };
  await createToken(database, operator, { label: "another", scopes: ["read"], targets: [], runners: 1, days: 1 });
});

test("a restart invalidates the previous secret; other servers have their own tokens", async () => {
  const first = await started(ONE);
  await first.claim;
  await (
    await started(OTHER, "other:/data")
  ).claim;
  expect(await authenticate(database, first.token)).toMatchObject({ targets: ["cpu"] });
  const second = await started(OTHER);
  await second.claim;
  forgetIdentities(database);
  await expect(authenticate(database, first.token)).rejects.toMatchObject({ code: "unauthorized" });
  expect(await authenticate(database, second.token)).toMatchObject({ targets: ["cpu"] });
});

test("after its token was revoked, a local runner gets a new one", async () => {
  await (
    await started(ONE)
  ).claim;
  const [row] = await database.sql<{ id: number }>`select id from token where local_runner is not null`;
  await revokeToken(database, row?.id ?? 0);
  await (
    await started(OTHER)
  ).claim;
  expect(await listed()).toHaveLength(2);
});
