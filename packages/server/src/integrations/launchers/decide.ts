/** Decides how many runners a launcher starts for a target: a pure function of the queue, the launches and the time. */
import type { Backoff } from "../../jobs/backoff.ts";
import type { TargetSettings } from "./settings.ts";

/** Launches of one launcher for one target. */
export interface History {
  /** Number of launches that have not ended. */
  open: number;
  /** Number of open launches whose runner has not joined yet. */
  coming: number;
  lastAt: Date | null;
  /**
   * Set when the last launch failed: consecutive failures, the error, and the time before which nothing is launched.
   */
  trouble: { failures: number; retryAt: Date; error: string } | null;
  /** Money spent, plus what open launches may still spend. */
  spentToday: number;
  spentThisMonth: number;
}

export interface Decision {
  /** For each launch, how long its runner may claim runs, in milliseconds. */
  lifetimesMs: number[];
  /** Explanation for an administrator, as a sentence. */
  explanation: string;
  /** Whether queued runs need a launch that is not allowed now. */
  onHold: boolean;
}

const HOUR_MS = 3_600_000;
/** A runner with a shorter lifetime would spend most of it starting up. */
const SHORTEST_MS = 5 * 60_000;

/**
 * Decides about launches.
 * @param needed Number of queued runs for which no idle runner and no launch in progress exists.
 */
export function decide(settings: TargetSettings, history: History, needed: number, now: Date): Decision {
  const none = (explanation: string, onHold = true): Decision => ({ lifetimesMs: [], explanation, onHold });
  if (needed <= 0) return none("no queued run needs a runner", false);
  const { trouble, lastAt, open } = history;
  if (trouble !== null && now < trouble.retryAt) {
    const times = trouble.failures === 1 ? "a failed launch" : `${trouble.failures} failed launches`;
    return none(`retries at ${clock(trouble.retryAt)} after ${times}: ${trouble.error}`);
  }
  if (trouble !== null && history.coming > 0) return none("one runner is starting after a failed launch", false);
  const coolAt = lastAt === null ? 0 : lastAt.getTime() + 1000 * settings.cooldownSeconds;
  if (now.getTime() < coolAt)
    return none(`waits until ${clock(new Date(coolAt))}, the minimum interval since the last launch`, false);
  const room = settings.maxRunners - open;
  if (room <= 0) return none(`limit reached: ${open} of ${settings.maxRunners} runners`);
  // After a failure only one runner is launched.
  const count = Math.min(needed, room, trouble === null ? Infinity : 1);
  const lifetimesMs = affordable(settings, history, count, now);
  const [first] = lifetimesMs;
  if (first === undefined) return none(budgetExplanation(settings, history));
  return { lifetimesMs, explanation: `launches ${lifetimesMs.length}`, onHold: false };
}

/** Returns whether a runner is starting, or would be started if another run was queued. */
export function canLaunch(settings: TargetSettings, history: History, now: Date): boolean {
  return history.coming > 0 || !decide(settings, history, 1, now).onHold;
}

/** Returns the lifetimes of up to `count` launches that together stay within the budgets. */
function affordable(settings: TargetSettings, history: History, count: number, now: Date): number[] {
  const fullMs = settings.lifetimeMinutes * 60_000;
  const shortestMs = Math.min(fullMs, SHORTEST_MS);
  const { day, month } = periodsOf(now);
  const left = [
    { money: (settings.budgetPerDay ?? Infinity) - history.spentToday, untilMs: day.end.getTime() - now.getTime() },
    {
      money: (settings.budgetPerMonth ?? Infinity) - history.spentThisMonth,
      untilMs: month.end.getTime() - now.getTime(),
    },
  ];
  const rate = settings.ratePerHour;
  const costOf = (ms: number): number => (rate * ms) / HOUR_MS;
  const lifetimesMs: number[] = [];
  while (lifetimesMs.length < count) {
    // Time after the end of the period counts towards the next period.
    const lifetimeMs = Math.min(
      fullMs,
      ...left.map(({ money, untilMs }) =>
        costOf(Math.min(fullMs, untilMs)) <= money ? fullMs : Math.floor((money * HOUR_MS) / rate),
      ),
    );
    if (lifetimeMs < shortestMs) break;
    lifetimesMs.push(lifetimeMs);
    for (const budget of left) budget.money -= costOf(Math.min(lifetimeMs, budget.untilMs));
  }
  return lifetimesMs;
}

function budgetExplanation(settings: TargetSettings, { spentToday, spentThisMonth }: History): string {
  const { budgetPerDay = Infinity, budgetPerMonth = Infinity } = settings;
  const [which, spent, budget] =
    budgetPerDay - spentToday < budgetPerMonth - spentThisMonth
      ? ["day", spentToday, budgetPerDay]
      : ["month", spentThisMonth, budgetPerMonth];
  return `the budget of this ${which} is used up: ${spent.toFixed(2)} of ${budget} is spent or reserved for open launches`;
}

/** Returns the UTC day and month of a time. */
export function periodsOf(now: Date): Record<"day" | "month", { start: Date; end: Date }> {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const at = (months: number, days: number): Date => new Date(Date.UTC(year, months, days));
  return {
    day: { start: at(month, day), end: at(month, day + 1) },
    month: { start: at(month, 1), end: at(month + 1, 1) },
  };
}

/** How long nothing is launched after consecutive failures: 30 s, 1 min, 2 min, … up to 30 min. */
export const LAUNCH_BACKOFF: Backoff = { firstMs: 30_000, maxMs: 1_800_000 };

function clock(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
