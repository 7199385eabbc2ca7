/** Issues a runner's token by proof, with a fake launcher that accepts every proof. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureOperator } from "../../auth/operator.ts";
import { authenticate } from "../../auth/tokens.ts";
import { database, root, useScene } from "@kernelbot/testing/scene.ts";
import type { LauncherConfig } from "./config.ts";
import { endLaunch } from "./end.ts";
import { joinByProof } from "./join.ts";
import { KINDS } from "./kinds.ts";

useScene();

const CONFIG: LauncherConfig = { name: "actions", kind: "github", settings: {}, targets: new Map() };
const HERE = "https://kernels.example.org";

const { verify } = KINDS.github;

beforeEach(async () => {
  await ensureOperator(database);
  // A proof is `proof of RUN`.
  KINDS.github.verify = (_, proof: string) => Promise.resolve(/^proof of (\d+)$/.exec(proof)?.[1] ?? null);
});
afterEach(() => {
  KINDS.github.verify = verify;
});

async function launched(state: string, externalId: string | null): Promise<void> {
  const failed = state === "failed";
  await database.sql`
    insert into launch (launcher, target, name, state, external_id, created_at, ends_by, rate_per_hour, due_at, ended_at,
      error, failures, retry_at)
    values ('actions', 'H100', ${`kernelbot-${state}`}, ${state}, ${externalId}, now(), now() + interval '1 hour', 1, now(),
      ${failed ? new Date() : null}, ${failed ? "no runner connected" : null}, ${failed ? 1 : 0}, ${failed ? new Date() : null})`;
}

const join = (proof: string): Promise<string> => joinByProof(database, [CONFIG], proof, HERE);

test("a valid proof gets a token for the launch's target and duration", async () => {
  await launched("launched", "1000");
  const token = await join("proof of 1000");
  expect(await authenticate(database, token)).toMatchObject({ scopes: ["runner"], targets: ["H100"] });
  const [row] = await database.sql<{ hours: number }>`
    select extract(epoch from token.expires_at - launch.ends_by)::float8 / 3600 as hours
    from launch join token on token.id = launch.token_id`;
  expect(row?.hours).toBeCloseTo(2, 3);
});

test("a repeated request gets a new token and revokes the previous one", async () => {
  await launched("launched", "1000");
  const first = await join("proof of 1000");
  const second = await join("proof of 1000");
  await expect(authenticate(database, first)).rejects.toThrow("revoked");
  expect(await authenticate(database, second)).toMatchObject({ targets: ["H100"] });
});

test("rejects proofs of unknown and ended launches", async () => {
  await launched("failed", "1000");
  await expect(join("proof of 1000")).rejects.toThrow("this launch has ended, or its runner has already joined");
  await expect(join("proof of 9")).rejects.toMatchObject({ code: "unauthorized" });
  await expect(join("no proof")).rejects.toThrow("the proof does not identify a launch of this server");
});

test("a launch that an administrator ended gets no token", async () => {
  await launched("launched", "1000");
  const token = await join("proof of 1000");
  await endLaunch(database, root, "kernelbot-launched");
  await expect(authenticate(database, token)).rejects.toThrow("revoked");
  await expect(join("proof of 1000")).rejects.toThrow("this launch was ended");
});

test("a job that starts before its launch is recorded gets 503 with Retry-After", async () => {
  await launched("starting", null);
  await expect(join("proof of 1000")).rejects.toMatchObject({ code: "unavailable", retryAfterS: 2 });
});
