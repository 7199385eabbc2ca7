/**
 * Checks the guarantees of queue/order.ts: compares the SQL with a model of it while runs are queued and claimed at
 * random.
 */
import { expect, test } from "vitest";
import { cancelSubmission } from "../submissions/cancel.ts";
import { changeWeight } from "../auth/accounts.ts";
import type { Identity } from "../auth/identity.ts";
import { getQueueOrder } from "./order.ts";
import { JUDGE_FAILED, MACHINE, passing, person, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { claimRun } from "./lease.ts";

useScene();

type Mode = "test" | "benchmark" | "ranked";
const COST: Record<Mode, number> = { test: 1, benchmark: 3, ranked: 4 };
const LARGEST = 4;

interface Waiting {
  run: number;
  submission: number;
  mode: Mode;
}

/** State of an account in the model. */
interface Account {
  who: Identity;
  weight: number;
  tag: number;
  waiting: Waiting[];
  /**
   * Whether one of its runs was claimed since its queue became non-empty, or its tag was above the virtual time then.
   */
  hadTurn: boolean;
  /** Number of claimed runs. */
  claims: number;
  /**
   * Set while its only queued run waits and its tag was not above the virtual time: state of each account when the run
   * was queued.
   */
  alone: Map<Account, { claims: number; isFlood: boolean }> | null;
}

/** Cost of the runs claimed for two accounts since both have queued runs. */
interface Pair {
  one: Account;
  other: Account;
  had: Map<Account, number>;
}

/** Returns a deterministic generator of pseudo-random numbers in [0, 1). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("runs are claimed in the displayed order, floods delay no other account, and shares are even", async () => {
  const random = chance(7);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const accounts: Account[] = [];
  for (const [index, weight] of [1, 1, 1, 2, 0.5].entries()) {
    const who = await person(database, `account-${index}`);
    await changeWeight(database, root, who.account.name, { weight });
    accounts.push({ who, weight, tag: 0, waiting: [], hadTurn: false, claims: 0, alone: null });
  }
  const [flood, ...others] = accounts as [Account, ...Account[]];
  /** Interrupted runs, with the tag under which each was first claimed. */
  const interrupted: { run: number; tag: number }[] = [];
  let clock = 0;
  let pairs: Pair[] = [];

  async function come(account: Account, mode: Mode): Promise<void> {
    const submission = await submitted(database, account.who, { mode });
    const [row] = await database.sql<{ id: number }>`select id from run where submission_id = ${submission}`;
    const isFirst = account.waiting.length === 0;
    if (isFirst) {
      account.hadTurn = account.tag > clock;
      account.tag = Math.max(account.tag, clock);
      for (const other of accounts) {
        if (other.waiting.length > 0) pairs.push({ one: account, other, had: new Map() });
      }
    }
    const hasNoMore = isFirst && !account.hadTurn;
    account.alone = hasNoMore
      ? new Map(
          accounts.map((each) => [each, { claims: each.claims, isFlood: each.waiting.length > 0 && each.hadTurn }]),
        )
      : null;
    account.waiting.push({ run: row?.id ?? 0, submission, mode });
    account.waiting.sort((a, b) => COST[a.mode] - COST[b.mode] || a.run - b.run);
  }

  async function cancel(account: Account): Promise<void> {
    // The model does not cover cancelling the last queued run: the account keeps its state until the next claim.
    if (account.waiting.length < 2) return;
    const [gone] = account.waiting.splice(pick([0, -1]), 1) as [Waiting];
    await cancelSubmission(database, account.who, gone.submission);
  }

  /** Returns the account whose run is claimed next. */
  function next(): Account | undefined {
    const rank = ({ tag, hadTurn, waiting: [head] }: Account): number[] =>
      head === undefined ? [] : [tag, Number(hadTurn), COST[head.mode], head.run];
    const isBefore = (a: Account, b: Account): boolean => {
      const [left, right] = [rank(a), rank(b)];
      const at = left.findIndex((value, index) => value !== right[index]);
      return (left[at] as number) < (right[at] as number);
    };
    return accounts
      .filter(({ waiting }) => waiting.length > 0)
      .reduce<Account | undefined>((best, each) => (best && !isBefore(each, best) ? best : each), undefined);
  }

  /** Claims and ends the next run. @returns whether a run was queued. */
  async function take(): Promise<boolean> {
    const [nextRun] = (await getQueueOrder(database, "cpu")).positions.keys();
    const run = await claimRun(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
    expect(run?.runId).toBe(nextRun);
    const account = next();
    interrupted.sort((a, b) => a.tag - b.tag || a.run - b.run);
    const [again] = interrupted;
    if (again !== undefined && (account === undefined || again.tag <= account.tag)) {
      interrupted.shift();
      expect(run?.runId).toBe(again.run);
      clock = Math.max(clock, again.tag);
    } else {
      expect(run?.runId).toBe(account?.waiting[0]?.run);
      if (account !== undefined) charge(account, run?.attempt === 1 && random() < 0.1);
    }
    if (run === null) return false;
    const fails = interrupted.some((each) => each.run === run.runId);
    await reported(database, box, run, fails ? JUDGE_FAILED : passing(run.mode));
    return true;
  }

  function charge(account: Account, fails: boolean): void {
    const { run, mode } = account.waiting.shift() as Waiting;
    if (fails) interrupted.push({ run, tag: account.tag });
    for (const [other, { claims, isFlood }] of account.alone ?? []) {
      if (other !== account) expect(other.claims - claims).toBeLessThanOrEqual(isFlood ? 0 : 1);
    }
    for (const { one, other, had } of pairs.filter((pair) => pair.one === account || pair.other === account)) {
      had.set(account, (had.get(account) ?? 0) + COST[mode] / account.weight);
      const apart = Math.abs((had.get(one) ?? 0) - (had.get(other) ?? 0));
      expect(apart).toBeLessThanOrEqual(LARGEST / one.weight + LARGEST / other.weight);
    }
    clock = Math.max(clock, account.tag);
    account.tag += Math.round((COST[mode] / account.weight) * 2 ** 20) / 2 ** 20;
    account.hadTurn = true;
    account.claims += 1;
    account.alone = null;
    if (account.waiting.length === 0) pairs = pairs.filter(({ one, other }) => one !== account && other !== account);
  }

  for (let step = 0; step < 150; step += 1) {
    const dice = random();
    if (dice < 0.25) await come(flood, pick(["test", "ranked"]));
    else if (dice < 0.45) await come(pick(others), pick(["test", "benchmark", "ranked"]));
    else if (dice < 0.5) await cancel(pick(accounts));
    else await take();
  }
  // All queued runs are claimed in the end.
  while (await take());
  expect(accounts.flatMap(({ waiting }) => waiting)).toEqual([]);
  expect(accounts.every(({ claims }) => claims > 0)).toBe(true);
});

test("displayed positions hold if nothing else is submitted: an account waits only for its own flood, and cheap runs go first", async () => {
  const eve = await person(database, "eve");
  for (let run = 0; run < 12; run += 1) await submitted(database, eve, { mode: "ranked" });
  for (let run = 0; run < 2; run += 1)
    await claimRun(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
  for (const mode of ["ranked", "benchmark", "test"] as const) await submitted(database, ann, { mode });
  const { positions } = await getQueueOrder(database, "cpu");
  const modes = [];
  for (const [run, { position }] of positions) {
    const taken = await claimRun(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
    expect([taken?.runId, position]).toEqual([run, modes.length + 1]);
    modes.push(`${taken?.account === ann.account.id ? "ann" : "eve"} ${taken?.mode}`);
  }
  // Ann's test (cost 1) and benchmark (3) cost as much together as one of Eve's ranked runs (4).
  expect(modes.slice(0, 5)).toEqual(["ann test", "ann benchmark", "eve ranked", "ann ranked", "eve ranked"]);
});
