/** Submission limits at each level, including concurrent submissions. */
import { expect, test } from "vitest";
import type { JudgeEvent, Limits, Mode, SubmitRequest } from "@kernelbot/core";
import { changeCompetition } from "../competitions/change.ts";
import { readLimits } from "../competitions/limits.ts";
import { openDatabase } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { removeOwn } from "../moderation/remove.ts";
import { rerunSubmission } from "../moderation/rerun.ts";
import { made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { claimed, failing, JUDGE_FAILED, passing, ranked, reported, request } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readAllowances } from "./allowances.ts";
import { cancelSubmission } from "./cancel.ts";
import { raiseLimits, setServerLimits } from "./raised-limits.ts";
import { submit } from "./submit.ts";

useScene();
useOrganiser();

const submits = (who: Identity, change: Partial<SubmitRequest> = {}) =>
  submit(database, who, request({ board: "triple", mode: "ranked", ...change }));

const REFUSED = { code: "too_many_requests" };

/** Returns the used part of each limit for ranked submissions to `triple`. */
async function used(who = ann): Promise<Record<string, number>> {
  const allowances = await readAllowances(database, who.account.id, "triple", ["ranked"]);
  return Object.fromEntries(allowances.map(({ quantity, used }) => [quantity, used]));
}

test("a board's limit overrides its competition's, which overrides the server's; each is counted in its own scope", async () => {
  await setServerLimits(database, { rankedPerHour: 9, testPerHour: 8 });
  expect(await readLimits(database, "double")).toMatchObject([{ mode: "test" }, { mode: "ranked", bound: 9 }]);
  const problems = ["double", { name: "triple", limits: { rankedPerHour: 1 } }];
  await made({ limits: { rankedPerHour: 2 }, problems });
  expect(await readLimits(database, "triple")).toEqual([
    { mode: "test", quantity: "per_hour", bound: 8, competition: null, board: null },
    { mode: "ranked", quantity: "per_hour", bound: 1, competition: null, board: "triple" },
  ]);
  await submits(ann);
  await expect(submits(ann)).rejects.toThrow("triple: 0 of 1 ranked submissions within an hour are left");
  await submits(ann, { board: "double" });
  const { allowances } = await submits(ann, { board: "double" });
  expect(allowances).toMatchObject([{ bound: 2, competition: "spring", used: 2 }]);
  await expect(submits(ann, { board: "double" })).rejects.toThrow("spring: 0 of 2");
  await setServerLimits(database, {});
  await changeCompetition(database, olga, spec({ problems: ["triple"] }));
  expect(await readLimits(database, "triple")).toEqual([]);
});

test("a limit of 0 closes a mode without a next time, except on boards and for accounts with a limit of their own", async () => {
  const problems = ["double", { name: "triple", limits: { rankedPerHour: 0, testConcurrent: 0 } }];
  await made({ limits: { testConcurrent: 1, rankedPerHour: 5 }, problems });
  for (const mode of ["ranked", "test"] as const) {
    const refusal: unknown = await submits(ann, { mode }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "conflict", message: `triple: ${mode} submissions are closed` });
    expect(refusal).not.toHaveProperty("retryAfterS", expect.anything());
  }
  expect(await readAllowances(database, ann.account.id, "triple", ["ranked"])).toMatchObject([
    { used: 0, nextAt: null },
  ]);
  await submits(ann, { board: "double" });
  await raiseLimits(database, olga, {
    ...{ account: "bob", competition: null, board: "triple", limits: { rankedPerHour: 1 } },
  });
  await submits(bob);
  await expect(submits(ann)).rejects.toMatchObject({ code: "conflict" });
});

test("the limit of concurrent runs counts queued and running runs, one per target of a submission", async () => {
  await setServerLimits(database, { rankedConcurrent: 3 });
  await submits(ann, { targets: ["cpu", "H100"] });
  await expect(submits(ann, { targets: ["cpu", "H100"] })).rejects.toMatchObject({
    ...REFUSED,
    message: "the server of triple: 1 of 3 ranked runs at once is left (this submission needs 2)",
    retryAfterS: 10,
  });
  await submits(ann);
  await expect(submits(ann, { board: "double" })).rejects.toThrow("one of them must end first");
  await submits(bob);
  await reported(database, box, await claimed(database, box), passing("ranked"));
  await submits(ann);
});

test("GPU-seconds count the duration of runs within a day, on each accelerator", async () => {
  await setServerLimits(database, { rankedGpuSecondsPerDay: 100 });
  const took = async (target: string, seconds: number, hoursAgo = 1, submissionId?: number): Promise<void> => {
    const id = submissionId ?? (await ranked(database, ann, box, 100, { board: "triple", targets: ["cpu"] }));
    await database.sql`update run set target = ${target}, started_at = now() - ${hoursAgo} * interval '1 hour' - ${seconds} * interval '1 second',
      finished_at = now() - ${hoursAgo} * interval '1 hour' where submission_id = ${id}`;
  };
  await took("cpu", 500);
  await took("H100", 90, 25);
  const { submission } = await submits(ann);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  }
  await took("H100", 90, 1, submission.id);
  await took("H100", 20, 2);
  await took("H100x8", 9, 20);
  expect((await used())["gpu_seconds_per_day"]).toBeCloseTo(92, 3);
  await took("H100", 30);
  const refused: unknown = await submits(ann).catch((error: unknown) => error);
  // The 72 GPU-seconds of the run on eight GPUs leave the 24-hour window in four hours.
  expect(refused).toMatchObject({ ...REFUSED, retryAfterS: expect.any(Number) as number });
  expect((refused as { retryAfterS: number }).retryAfterS / 3600).toBeCloseTo(4, 2);
});

test.each<[Mode, Partial<SubmitRequest>]>([
  ["profile", {}],
  ["duel", { rival: { fileName: "rival.py", source: "other\n" } }],
])("GPU-seconds of %s count only that mode, and runs that could not be judged count none", async (mode, change) => {
  await setServerLimits(database, { rankedGpuSecondsPerDay: 100, [`${mode}GpuSecondsPerDay`]: 50 });
  const runFor = async (seconds: number, ...attempts: JudgeEvent[][]): Promise<void> => {
    const { submission } = await submits(ann, { mode, ...change, targets: ["H100"] });
    for (const events of attempts) await reported(database, box, await claimed(database, box, "H100"), events);
    await database.sql`update run set started_at = finished_at - ${seconds} * interval '1 second'
      where submission_id = ${submission.id}`;
  };
  await ranked(database, ann, box, 100, { board: "triple", targets: ["H100"] });
  await database.sql`update run set started_at = finished_at - interval '99 seconds' where mode = 'ranked'`;
  await runFor(500, JUDGE_FAILED, JUDGE_FAILED, JUDGE_FAILED);
  await runFor(49, passing(mode));
  await runFor(2, failing("crash"));
  await expect(submits(ann, { mode, ...change })).rejects.toThrow(`0 of 50 GPU-seconds of ${mode} runs within a day`);
  expect((await used())["gpu_seconds_per_day"]).toBeCloseTo(99, 3);
  await submits(bob, { mode, ...change });
});

test("of the submissions of an account that could not be judged, the first within an hour is free, in number and time", async () => {
  await setServerLimits(database, { rankedPerHour: 9, rankedGpuSecondsPerDay: 1000 });
  const unjudged = async (who: Identity, minutesAgo: number): Promise<void> => {
    const { submission } = await submits(who, { targets: ["H100"] });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await reported(database, box, await claimed(database, box, "H100"), JUDGE_FAILED);
    }
    await database.sql`update submission set created_at = now() - ${minutesAgo} * interval '1 minute' where id = ${submission.id}`;
    await database.sql`update run set started_at = finished_at - interval '10 seconds' where submission_id = ${submission.id}`;
  };
  await unjudged(ann, 70);
  await unjudged(ann, 5);
  await unjudged(bob, 4);
  expect(await used()).toMatchObject({ per_hour: 0, gpu_seconds_per_day: 0 });
  await unjudged(ann, 3);
  await unjudged(ann, 2);
  expect(await used()).toMatchObject({ per_hour: 2, gpu_seconds_per_day: expect.closeTo(20, 3) as number });
  expect((await used(bob))["per_hour"]).toBe(0);
});

test("50 concurrent submissions to two servers never exceed the limits", async () => {
  await made({ limits: { rankedPerHour: 7, testConcurrent: 5 } });
  const other = await openDatabase({ url: database.url });
  const sent = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) =>
      submit(
        n % 2 === 0 ? database : other,
        ann,
        request({
          board: "triple",
          mode: n % 3 === 0 ? "test" : "ranked",
          targets: n % 4 === 0 ? ["cpu", "H100"] : ["cpu"],
        }),
      ),
    ),
  );
  await other.close();
  const taken = sent.flatMap((one) => (one.status === "fulfilled" ? [one.value.submission] : []));
  expect(taken.filter(({ mode }) => mode === "ranked")).toHaveLength(7);
  const atOnce = taken.filter(({ mode }) => mode === "test").flatMap(({ runs }) => runs);
  expect(atOnce.length).toBeGreaterThanOrEqual(4);
  expect(atOnce.length).toBeLessThanOrEqual(5);
  for (const one of sent) if (one.status === "rejected") expect(one.reason).toMatchObject(REFUSED);
});

test("cancelled and removed submissions count against limits, and organisers' re-runs do not", async () => {
  await made({ limits: { rankedPerHour: 3, rankedConcurrent: 9 } });
  const id = await ranked(database, ann, box, 100, { board: "triple" });
  await rerunSubmission(database, root, id);
  const { submission } = await submits(ann);
  expect(await used()).toEqual({ per_hour: 2, concurrent: 1 });
  await cancelSubmission(database, ann, submission.id);
  await removeOwn(database, ann, id);
  expect(await used()).toEqual({ per_hour: 2, concurrent: 0 });
});

test("an organiser raises a limit for one account, and resets it", async () => {
  await made({ limits: { rankedPerHour: 1 } });
  const raise = (who: Identity, limits: Limits, competition: string | null = "spring") =>
    raiseLimits(database, who, { account: "ann", competition, board: null, limits });
  await raise(olga, { rankedPerHour: 2 });
  await submits(ann);
  await submits(ann);
  await expect(submits(ann)).rejects.toThrow("0 of 2 ranked");
  await submits(bob);
  await expect(submits(bob)).rejects.toThrow("0 of 1 ranked");
  await raise(olga, {});
  expect(await readAllowances(database, ann.account.id, "triple")).toMatchObject([{ bound: 1, used: 2 }]);
  await expect(raise(ann, { rankedPerHour: 9 })).rejects.toMatchObject({ code: "forbidden" });
  await expect(raise(olga, { rankedPerHour: 9 }, null)).rejects.toMatchObject({ code: "forbidden" });
  await expect(raise(olga, { rankedPerHour: 9 }, "autumn")).rejects.toMatchObject({ code: "not_found" });
});
