/** What the form of a competition holds, as text. */
import { formatLimits, LIMIT_KEYS, type Competition, type LimitKey } from "@kernelbot/core";

/** The fields of the form as they stand in it. */
export interface CompetitionFields extends SingleFields {
  /** Which problems are in. */
  problems: readonly ProblemFields[];
}

/** Those with one value. */
export interface SingleFields extends Record<LimitKey, string> {
  name: string;
  title: string;
  description: string;
  visibility: string;
  participants: string;
  /** In UTC, as `datetime-local` has it: `2026-03-01T12:00`; empty where there is none. */
  startsAt: string;
  endsAt: string;
  freezeAt: string;
  revealAt: string;
  codeVisibility: string;
  licence: string;
  teamSize: string;
  /** Names of accounts, one a line. */
  organisers: string;
  /** Names, between commas or spaces; empty for all. Limits are whole numbers, or empty for none. */
  targets: string;
}

/** A problem that is in, with what it has of its own; empty where it has nothing. */
export interface ProblemFields {
  name: string;
  targets: string;
  endsAt: string;
  /** As in `--limits`: `ranked_per_hour=5, test_concurrent=2`. */
  limits: string;
}

const NO_LIMITS = Object.fromEntries(LIMIT_KEYS.map(({ key }) => [key, ""])) as Record<LimitKey, string>;

export const NEW_COMPETITION: CompetitionFields = {
  name: "",
  title: "",
  description: "",
  visibility: "public",
  participants: "everyone",
  startsAt: "",
  endsAt: "",
  freezeAt: "",
  revealAt: "",
  codeVisibility: "after_end",
  licence: "",
  teamSize: "1",
  organisers: "",
  targets: "",
  ...NO_LIMITS,
  problems: [],
};

export function fieldsOf(competition: Competition): CompetitionFields {
  const { name, title, description, visibility, participants, codeVisibility, licence, teamSize, limits } = competition;
  const limitTexts = Object.entries(limits).map(([key, bound]) => [key, String(bound)]);
  return {
    ...{ name, title, description, visibility, participants, codeVisibility },
    startsAt: fieldMoment(competition.startsAt),
    endsAt: fieldMoment(competition.endsAt),
    freezeAt: fieldMoment(competition.freezeAt),
    revealAt: fieldMoment(competition.revealAt),
    licence: licence ?? "",
    teamSize: String(teamSize),
    organisers: competition.organisers.map((organiser) => organiser.name).join("\n"),
    targets: fieldNames(competition.targets),
    ...NO_LIMITS,
    ...(Object.fromEntries(limitTexts) as Partial<Record<LimitKey, string>>),
    problems: competition.problems.map((problem) => ({
      name: problem.name,
      targets: fieldNames(problem.targets),
      endsAt: fieldMoment(problem.endsAt),
      limits: formatLimits(problem.limits ?? {}),
    })),
  };
}

function fieldNames(names: readonly string[] | null): string {
  return names?.join(", ") ?? "";
}

/** A moment as the field has it, with seconds only where there are some. */
export function fieldMoment(iso: string | null): string {
  if (iso === null) return "";
  const seconds = iso.slice(16, 19);
  return iso.slice(0, 16) + (seconds === ":00" ? "" : seconds);
}
