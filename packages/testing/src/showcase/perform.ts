/** Performs the history: submits, claims and reports. */
import type { Claimed, JudgeEvent, ProblemSpec } from "@kernelbot/core";
import { randomness } from "../noise.ts";
import { submit } from "@kernelbot/server/src/submissions/submit.ts";
import { claimRun } from "@kernelbot/server/src/queue/lease.ts";
import { report } from "@kernelbot/server/src/runs/report.ts";
import type { Act } from "./history.ts";
import type { Cast, DiscordResources } from "./server.ts";
import { failing, quarantined, JUDGE_FAILED, passing } from "./judge.ts";
import { STATIONS, type Station } from "./machines.ts";
import { moveSubmissions } from "./moments.ts";

export interface Stage extends DiscordResources {
  cast: Cast;
  specs: ReadonlyMap<string, ProblemSpec>;
}

/** Returns the identity of a participant. */
export function actor({ cast }: Stage, name: string) {
  const identity = cast.by.get(name);
  if (identity === undefined) throw new Error(`${name} is not a participant`);
  return identity;
}

/** Submits on behalf of a participant. @returns the submission id. */
export async function submitAct(stage: Stage, { who, request }: Act): Promise<number> {
  return (await submit(stage.database, actor(stage, who.name), request)).submission.id;
}

/** Claims the next run of a target for one of its machines; null if none is queued. */
export async function claimNext(
  { database, cast }: Stage,
  target: string,
  turn = 0,
  leaseMs?: number,
): Promise<Claimed | null> {
  const stations = STATIONS.filter((station) => station.target === target);
  const { runner, machine } = stations[turn % stations.length] as Station;
  const identity = cast.runners.get(target);
  if (identity === undefined) throw new Error(`${target} has no runner`);
  return claimRun(database, identity, { target, runner, machine, waitMs: 0 }, leaseMs === undefined ? {} : { leaseMs });
}

export async function reportEvents(
  { database, cast, signer }: Stage,
  run: Claimed,
  events: JudgeEvent[],
): Promise<void> {
  const identity = cast.runners.get(run.target);
  if (identity === undefined) throw new Error(`${run.target} has no runner`);
  await report(database, identity, run.runId, { attempt: run.attempt, from: 0, events }, { signer });
}

/** Judges all queued runs with the outcome of their act, all targets concurrently. */
export async function judgeAll(stage: Stage, acts: ReadonlyMap<number, Act>): Promise<void> {
  await Promise.all([...stage.cast.runners.keys()].map((target) => judgeTarget(stage, target, acts)));
}

async function judgeTarget(stage: Stage, target: string, acts: ReadonlyMap<number, Act>): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const run = await claimNext(stage, target, turn);
    if (run === null) return;
    const { submission_id } = await stage.database.db
      .selectFrom("run")
      .select("submission_id")
      .where("id", "=", run.runId)
      .executeTakeFirstOrThrow();
    const act = acts.get(submission_id);
    if (act === undefined) throw new Error(`submission ${submission_id} belongs to no act`);
    await reportEvents(stage, run, verdictOf(stage, run, act));
  }
}

/** Returns the events of a run for its act. Deterministic for a given run. */
export function verdictOf({ specs }: Stage, run: Claimed, act: Act): JudgeEvent[] {
  const spec = specs.get(act.request.board);
  if (spec === undefined) throw new Error(`the problem ${act.request.board} does not exist`);
  const random = randomness(run.runId);
  const { outcome, efficiency, rivalEfficiency } = act;
  const judged = {
    spec,
    target: run.target,
    mode: run.mode,
    efficiency: efficiency * (0.995 + 0.01 * random()),
    ...(rivalEfficiency !== undefined && { rivalEfficiency }),
    random,
  };
  if (outcome === "passed") return passing(judged);
  if (outcome === "infra") return JUDGE_FAILED;
  if (outcome === "held") {
    return quarantined(judged, "in 3 of 20 rounds the output belonged to an earlier input; held for review");
  }
  return failing(judged, outcome);
}

/**
 * Performs acts from their submission to their verdicts and sets their times.
 * @returns the submission ids, in order.
 */
export async function play(stage: Stage, acts: readonly Act[]): Promise<number[]> {
  const ids: number[] = [];
  const played = new Map<number, Act>();
  for (const act of acts) {
    const id = await submitAct(stage, act);
    ids.push(id);
    played.set(id, act);
  }
  await judgeAll(stage, played);
  const random = randomness(7);
  await moveSubmissions(
    stage.database,
    ids.map((submissionId) => ({
      submissionId,
      submittedAt: (played.get(submissionId) as Act).at,
      waitedMs: 2_000 + 40_000 * random(),
      tookMs: 9_000 + 60_000 * random(),
    })),
  );
  return ids;
}
