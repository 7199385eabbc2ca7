/** What order.ts guarantees, over the real SQL, beside a model of it, as runs come and are claimed by chance. */
import { expect, test } from "vitest";
import { cancelSubmission } from "../intake/cancel.ts";
import { changeWeight } from "../people/accounts.ts";
import type { Identity } from "../db/identity.ts";
import { readOrder } from "../runs/order.ts";
import { JUDGE_FAILED, MACHINE, passing, person, reported, submitted } from "../testing/fixtures.ts";
import { ann, box, database, root } from "../testing/scene.ts";
import { claim } from "./lease.ts";

type Mode = "test" | "benchmark" | "ranked";
const COST: Record<Mode, number> = { test: 1, benchmark: 3, ranked: 4 };
const LARGEST = 4;

interface Waiting {
  run: number;
  submission: number;
  mode: Mode;
}

/** An account as the model has it. */
interface Account {
  who: Identity;
  weight: number;
  tag: number;
  waiting: Waiting[];
  /** Whether one of its runs was claimed since it began to wait, or it came above the virtual time. */
  hadTurn: boolean;
  /** How many of its runs were claimed. */
  claims: number;
  /** When its one run came, where it has no other and had no more than its share: of each other what was claimed by then. */
  alone: Map<Account, { claims: number; isFlood: boolean }> | null;
}

/** What two accounts that both wait had claimed since, in cost. */
interface Pair {
  one: Account;
  other: Account;
  had: Map<Account, number>;
}

/** Numbers of a fixed sequence, each from 0 to 1. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("whatever comes, runs are claimed in the order that is told, no flood is waited for and shares are even", async () => {
  const random = chance(7);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const accounts: Account[] = [];
  for (const [index, weight] of [1, 1, 1, 2, 0.5].entries()) {
    const who = await person(database, `account-${index}`);
    await changeWeight(database, root, who.account.name, { weight });
    accounts.push({ who, weight, tag: 0, waiting: [], hadTurn: false, claims: 0, alone: null });
  }
  const [flood, ...others] = accounts as [Account, ...Account[]];
  /** What was interrupted, with the tag under which it was claimed first. */
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
    // What is cancelled last leaves its account as it was, which the next claim finds out.
    if (account.waiting.length < 2) return;
    const [gone] = account.waiting.splice(pick([0, -1]), 1) as [Waiting];
    await cancelSubmission(database, account.who, gone.submission);
  }

  /** Whose turn it is. */
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

  /** @returns whether anything waited. */
  async function take(): Promise<boolean> {
    const [told] = (await readOrder(database, "cpu")).places.keys();
    const run = await claim(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
    expect(run?.runId).toBe(told);
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
  // Nothing is kept back.
  while (await take());
  expect(accounts.flatMap(({ waiting }) => waiting)).toEqual([]);
  expect(accounts.every(({ claims }) => claims > 0)).toBe(true);
});

test("places come true if nothing else comes: behind a flood one waits for oneself, and cheap runs go first", async () => {
  const eve = await person(database, "eve");
  for (let run = 0; run < 12; run += 1) await submitted(database, eve, { mode: "ranked" });
  for (let run = 0; run < 2; run += 1)
    await claim(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
  for (const mode of ["ranked", "benchmark", "test"] as const) await submitted(database, ann, { mode });
  const { places } = await readOrder(database, "cpu");
  const modes = [];
  for (const [run, { place }] of places) {
    const taken = await claim(database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
    expect([taken?.runId, place]).toEqual([run, modes.length + 1]);
    modes.push(`${taken?.account === ann.account.id ? "ann" : "eve"} ${taken?.mode}`);
  }
  // Her test and her benchmark take as much together as one of Eve's.
  expect(modes.slice(0, 5)).toEqual(["ann test", "ann benchmark", "eve ranked", "ann ranked", "eve ranked"]);
});
