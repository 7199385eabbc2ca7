/**
 * Cases for moderators: flags by the judge, by the speed-of-light bound, by a rerun and by a moderator, reports by
 * participants, and the decisions.
 */
import { appeal, answer } from "@kernelbot/server/src/moderation/appeal.ts";
import { ban } from "@kernelbot/server/src/moderation/ban.ts";
import { acceptRun, rejectRun } from "@kernelbot/server/src/moderation/decide.ts";
import { flagRun, reportRun } from "@kernelbot/server/src/moderation/flag.ts";
import { removeAny, removeOwn } from "@kernelbot/server/src/moderation/remove.ts";
import { confirmTop } from "@kernelbot/server/src/moderation/rerun.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Act } from "./history.ts";
import { during } from "./moments.ts";
import { actor, judgeAll, play, type Stage } from "./perform.ts";
import { PARTICIPANTS, type Participant } from "./people.ts";
import { cached, version } from "./sources.ts";

const HOUR_MS = 3_600_000;

export interface Moderated {
  quarantined: number;
  impossible: number;
  accepted: number;
  rejected: number;
  removed: number;
  removedByOwner: number;
  banned: number;
  reported: number;
}

/** Id of the decision with a pending appeal. */
export interface Appealed {
  appeal: number;
}

/** Reruns the first entries of each board, so that their ranks are confirmed. */
export async function confirmed(stage: Stage, acts: ReadonlyMap<number, Act>, now: Date): Promise<void> {
  await during(stage.database, new Date(now.getTime() - 2 * HOUR_MS), async () => {
    await confirmTop(stage.database, 4);
    await judgeAll(stage, acts);
  });
}

export async function moderated(stage: Stage, now: Date): Promise<Moderated & Appealed> {
  const { database, cast, signer } = stage;
  const ago = (hours: number): Date => new Date(now.getTime() - hours * HOUR_MS);
  const act = (name: string, hours: number, change: Partial<Act> = {}, board = "matmul"): Act => ({
    who: PARTICIPANTS.find((one) => one.name === name) as Participant,
    at: ago(hours),
    outcome: "passed",
    efficiency: 0.7,
    request: {
      board,
      targets: ["H100"],
      mode: "ranked",
      ...(change.outcome === "held" ? cached() : version(board, "H100", 3, 5 + hours)),
    },
    ...change,
  });
  const [banned, rejected, accepted, removed, removedByOwner, reported, quarantined, impossible, flagged] = (await play(
    stage,
    [
      act("speedrunner", 90, { efficiency: 0.9 }),
      act("tensorcat", 70, { outcome: "held" }),
      act("Sofia Lindqvist", 60, { outcome: "held", efficiency: 0.79 }, "vectoradd"),
      act("n00b", 50, {}, "grayscale"),
      act("Clara Moretti", 44, { efficiency: 0.3 }, "grayscale"),
      act("autotuner-7", 30, { efficiency: 0.86 }, "grayscale"),
      act("dmitri_v", 20, { outcome: "held", efficiency: 0.9 }),
      // Faster than the memory bandwidth allows.
      act("n00b", 12, { efficiency: 3.5 }, "grayscale"),
      act("Samir B.", 9, { efficiency: 0.8 }, "vectoradd"),
    ],
  )) as [number, number, number, number, number, number, number, number, number];

  await during(database, ago(80), () =>
    ban(database, cast.moderator, {
      account: "speedrunner",
      reason: "Three accounts of one person to circumvent the rate limit; see the two previous decisions.",
    }),
  );
  const runOf = (submission: number): Promise<number> => entryOf(database, submission);
  await during(database, ago(66), async () =>
    rejectRun(database, cast.moderator, await runOf(rejected), {
      reason: "The kernel caches results by the address of the input and returns them for later inputs.",
    }),
  );
  await during(database, ago(58), async () =>
    acceptRun(
      database,
      cast.moderator,
      await runOf(accepted),
      { reason: "The cached table depends only on the size." },
      signer,
    ),
  );
  const removal = await during(database, ago(48), () =>
    removeAny(database, cast.moderator, removed, { reason: "Copied from another participant, including comments." }),
  );
  await during(database, ago(43), () => removeOwn(database, actor(stage, "Clara Moretti"), removedByOwner));
  await during(database, ago(40), () =>
    appeal(
      database,
      actor(stage, "n00b"),
      removal,
      "We are in the same course and wrote it together; my co-author agrees.",
    ),
  );
  const decisions = await database.db.selectFrom("decision").select(["id", "act"]).orderBy("id").execute();
  const rejection = decisions.find((decision) => decision.act === "reject")?.id ?? 0;
  await during(database, ago(36), () =>
    appeal(
      database,
      actor(stage, "tensorcat"),
      rejection,
      "The cache is cleared whenever the version of the tensor changes.",
    ),
  );
  await during(database, ago(30), () =>
    answer(
      database,
      cast.administrator,
      rejection,
      { grant: false, reason: "The cache is not cleared: line 14 returns the value stored by line 13." },
      signer,
    ),
  );
  await during(database, ago(6), async () => {
    await reportRun(
      database,
      actor(stage, "Noor Haddad"),
      await runOf(reported),
      "It reads the clock and sleeps outside of timed calls.",
    );
    await reportRun(
      database,
      actor(stage, "jvermeer"),
      await runOf(reported),
      "Line 40 looks like a device-side timer.",
    );
    await flagRun(
      database,
      cast.moderator,
      await runOf(flagged),
      "The runtime halves on every third rerun; please investigate.",
    );
  });
  return { quarantined, impossible, accepted, rejected, removed, removedByOwner, banned, reported, appeal: removal };
}

/** Returns the first run of a submission. */
export async function entryOf({ db }: Database, submission: number): Promise<number> {
  const runs = db.selectFrom("run").select("id").where("submission_id", "=", submission).orderBy("id");
  return (await runs.executeTakeFirstOrThrow()).id;
}
