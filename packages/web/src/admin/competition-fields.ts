/** Values of the competition form, as text. */
import { formatLimits, LIMIT_KEYS, type Competition, type LimitKey } from "@kernelbot/core";

/** Values of the competition form, as typed. */
export interface CompetitionFields extends SingleFields {
  /** Problems that belong to the competition. */
  problems: readonly ProblemFields[];
}

/** Fields with one value each. Limits are whole numbers; empty for no limit. */
interface SingleFields extends Record<LimitKey, string> {
  name: string;
  title: string;
  description: string;
  visibility: string;
  participants: string;
  names: string;
  /** Time in UTC as in a `datetime-local` field: `2026-03-01T12:00`; empty for none. */
  startsAt: string;
  endsAt: string;
  freezeAt: string;
  revealAt: string;
  codeVisibility: string;
  licence: string;
  teamSize: string;
  /** Account names, one per line. */
  organisers: string;
  /** Groups at the OpenID Connect issuer, one per line. */
  groups: string;
  /** Target names, separated by commas or spaces; empty for all. */
  targets: string;
}

/** A problem of the competition with its own settings; empty where the competition's apply. */
export interface ProblemFields {
  name: string;
  targets: string;
  endsAt: string;
  /** In the syntax of `--limits`: `ranked_per_hour=5, test_concurrent=2`. */
  limits: string;
}

const NO_LIMITS = Object.fromEntries(LIMIT_KEYS.map(({ key }) => [key, ""])) as Record<LimitKey, string>;

export const NEW_COMPETITION: CompetitionFields = {
  name: "",
  title: "",
  description: "",
  visibility: "public",
  participants: "everyone",
  names: "accounts",
  startsAt: "",
  endsAt: "",
  freezeAt: "",
  revealAt: "",
  codeVisibility: "after_end",
  licence: "",
  teamSize: "1",
  organisers: "",
  groups: "",
  targets: "",
  ...NO_LIMITS,
  problems: [],
};

export function fieldsOf(competition: Competition): CompetitionFields {
  const { name, title, description, visibility, participants, names, codeVisibility, licence, teamSize, limits } =
    competition;
  const limitTexts = Object.entries(limits).map(([key, bound]) => [key, String(bound)]);
  return {
    ...{ name, title, description, visibility, participants, names, codeVisibility },
    startsAt: fieldMoment(competition.startsAt),
    endsAt: fieldMoment(competition.endsAt),
    freezeAt: fieldMoment(competition.freezeAt),
    revealAt: fieldMoment(competition.revealAt),
    licence: licence ?? "",
    teamSize: String(teamSize),
    organisers: competition.organisers.map((organiser) => organiser.name).join("\n"),
    groups: competition.groups.join("\n"),
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

/** Returns a time as a `datetime-local` value in UTC, with seconds only if they are not zero; empty for null. */
export function fieldMoment(iso: string | null): string {
  if (iso === null) return "";
  const seconds = iso.slice(16, 19);
  return iso.slice(0, 16) + (seconds === ":00" ? "" : seconds);
}
