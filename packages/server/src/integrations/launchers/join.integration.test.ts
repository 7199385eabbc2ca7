/** Issues a runner's token by proof, with a fake launcher that accepts every proof. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { authenticate, ensureOperator } from "../../auth/tokens.ts";
import { database, root } from "@kernelbot/testing/scene.ts";
import type { LauncherConfig } from "./config.ts";
import { endLaunch } from "./end.ts";
import { joinByProof } from "./join.ts";
import { KINDS } from "./kinds.ts";

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
      ${failed ? new Date() : null}, ${failed ? "no runner came" : null}, ${failed ? 1 : 0}, ${failed ? new Date() : null})`;
}

const join = (proof: string): Promise<string> => joinByProof(database, [CONFIG], proof, HERE);

test("whoever proves to be a launch gets its token, for its target and its time", async () => {
  await launched("launched", "1000");
  const token = await join("proof of 1000");
  expect(await authenticate(database, token)).toMatchObject({ scopes: ["runner"], targets: ["H100"] });
  const [row] = await database.sql<{ hours: number }>`
    select extract(epoch from token.expires_at - launch.ends_by)::float8 / 3600 as hours
    from launch join token on token.id = launch.token_id`;
  expect(row?.hours).toBeCloseTo(2, 3);
});

test("one whose answer was lost asks again, and gets another token in its place", async () => {
  await launched("launched", "1000");
  const first = await join("proof of 1000");
  const second = await join("proof of 1000");
  await expect(authenticate(database, first)).rejects.toThrow("revoked");
  expect(await authenticate(database, second)).toMatchObject({ targets: ["H100"] });
});

test("a proof of what this server has not started, or of what is over, opens nothing", async () => {
  await launched("failed", "1000");
  await expect(join("proof of 1000")).rejects.toThrow("this launch is over, or has its runner");
  await expect(join("proof of 9")).rejects.toMatchObject({ code: "unauthorized" });
  await expect(join("no proof")).rejects.toThrow("this is no proof of a launch of this server's");
});

test("one that an administrator has ended gets no token, nor another one", async () => {
  await launched("launched", "1000");
  const token = await join("proof of 1000");
  await endLaunch(database, root, "kernelbot-launched");
  await expect(authenticate(database, token)).rejects.toThrow("revoked");
  await expect(join("proof of 1000")).rejects.toThrow("this launch was ended");
});

test("a job that is faster than the answer about it is asked to come again", async () => {
  await launched("starting", null);
  await expect(join("proof of 1000")).rejects.toMatchObject({ code: "unavailable", retryAfterS: 2 });
});
