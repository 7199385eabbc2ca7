/** Phases, freeze and remaining time of a competition. */
import type { Competition, CompetitionDates } from "./competition.ts";

/** Phase of a competition. */
export type Phase = "upcoming" | "running" | "ended";

/** Returns the phase of a competition at `now`: running from `startsAt` until before `endsAt`. */
export function phaseOf({ startsAt, endsAt }: Pick<Competition, "startsAt" | "endsAt">, now: Date): Phase {
  if (now.getTime() < Date.parse(startsAt)) return "upcoming";
  return now.getTime() < Date.parse(endsAt) ? "running" : "ended";
}

/** Formats the remaining time: `starts in 3 days`, `5 hours left`, `ended`. */
export function formatTimeLeft(competition: Pick<Competition, "startsAt" | "endsAt">, now: Date): string {
  const phase = phaseOf(competition, now);
  if (phase === "ended") return "ended";
  const until = Date.parse(phase === "upcoming" ? competition.startsAt : competition.endsAt) - now.getTime();
  const [unitMs, unit] = UNITS.find(([ms]) => until >= 2 * ms) ?? LEAST_UNIT;
  const number = Math.max(1, Math.floor(until / unitMs));
  const time = `${number} ${unit}${number === 1 ? "" : "s"}`;
  return phase === "upcoming" ? `starts in ${time}` : `${time} left`;
}

/** Returns when the boards are revealed; null while they are not frozen. */
export function frozenUntil(
  { freezeAt, revealAt, endsAt }: Omit<CompetitionDates, "startsAt">,
  now: Date,
): string | null {
  if (freezeAt === null || now.getTime() < Date.parse(freezeAt)) return null;
  const until = revealAt ?? endsAt;
  return now.getTime() < Date.parse(until) ? until : null;
}

const LEAST_UNIT = [60_000, "minute"] as const;
const UNITS = [[86_400_000, "day"] as const, [3_600_000, "hour"] as const, LEAST_UNIT];
