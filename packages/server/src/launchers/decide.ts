/** How many runners a launcher starts for a target now: a function of what waits, of its launches and of the time. */
import type { TargetSettings } from "./settings.ts";

/** What is known of a launcher's launches for a target. */
export interface History {
  /** Those that have not ended. */
  open: number;
  /** Of these, those whose runner is still to come. */
  coming: number;
  lastAt: Date | null;
  /** Where the last one failed: how many in a row, what of, and until when nothing is tried. */
  trouble: { failures: number; retryAt: Date; error: string } | null;
  /** What was spent, and what those that are open may still spend. */
  spentToday: number;
  spentThisMonth: number;
}

export interface Decision {
  /** For how long each of those that are launched may claim runs, in milliseconds. */
  lifetimesMs: number[];
  /** In a sentence, for an operator. */
  says: string;
  /** Whether runs wait for which it should launch, and does not. */
  held: boolean;
}

const HOUR_MS = 3_600_000;
/** A runner that is paid for less long does little but start. */
const SHORTEST_MS = 5 * 60_000;

/** @param wanted Runs that wait for which no runner is there, nor on its way. */
export function decide(settings: TargetSettings, history: History, wanted: number, now: Date): Decision {
  const none = (says: string, held = true): Decision => ({ lifetimesMs: [], says, held });
  if (wanted <= 0) return none("no run waits for a runner of its own", false);
  const { trouble, lastAt, open } = history;
  if (trouble !== null && now < trouble.retryAt) {
    const times = trouble.failures === 1 ? "a launch that failed" : `${trouble.failures} launches that failed`;
    return none(`tries again at ${clock(trouble.retryAt)} after ${times}: ${trouble.error}`);
  }
  if (trouble !== null && history.coming > 0) return none("has one on its way, after a launch that failed", false);
  const coolAt = lastAt === null ? 0 : lastAt.getTime() + 1000 * settings.cooldownSeconds;
  if (now.getTime() < coolAt) return none(`waits until ${clock(new Date(coolAt))}, for its last launch`, false);
  const room = settings.maxRunners - open;
  if (room <= 0) return none(`at its limit: ${open} of ${settings.maxRunners} runners`);
  // After a failure one is tried, and not as many as wait.
  const count = Math.min(wanted, room, trouble === null ? Infinity : 1);
  const lifetimesMs = affordable(settings, history, count, now);
  const [first] = lifetimesMs;
  if (first === undefined) return none(usedUp(settings, history));
  return { lifetimesMs, says: `launches ${lifetimesMs.length}`, held: false };
}

/** How long each of so many may claim runs, where all of them together keep within the budgets. */
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
    // What lies beyond the end of the period is paid by the next one.
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

function usedUp(settings: TargetSettings, { spentToday, spentThisMonth }: History): string {
  const { budgetPerDay = Infinity, budgetPerMonth = Infinity } = settings;
  const [which, spent, budget] =
    budgetPerDay - spentToday < budgetPerMonth - spentThisMonth
      ? ["day", spentToday, budgetPerDay]
      : ["month", spentThisMonth, budgetPerMonth];
  return `its budget of this ${which} is used up: ${spent.toFixed(2)} of ${budget} are spent or kept for those that run`;
}

/** The day and the month of a moment, UTC. */
export function periodsOf(now: Date): Record<"day" | "month", { start: Date; end: Date }> {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const at = (months: number, days: number): Date => new Date(Date.UTC(year, months, days));
  return {
    day: { start: at(month, day), end: at(month, day + 1) },
    month: { start: at(month, 1), end: at(month + 1, 1) },
  };
}

/** How long nothing is launched after so many failures in a row: 30 s, 1 min, 2 min, to half an hour, less a random part. */
export function backoffMs(failures: number, random = Math.random()): number {
  return Math.min(30_000 * 2 ** (failures - 1), 1_800_000) * (1 - random / 2);
}

function clock(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
