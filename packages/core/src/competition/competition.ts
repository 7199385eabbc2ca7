/** Competitions: sets of problems with dates, visibility and participants. */
import { z } from "zod";
import { GroupName } from "../vocabulary/group.ts";
import { AccountName } from "../vocabulary/entrant.ts";
import { Licence } from "../vocabulary/declaration.ts";
import { Limits } from "../submission/limits.ts";
import { UtcDateTime } from "../text/moment.ts";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";

/** Name of a competition as used in URLs. */
export const CompetitionName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,94}$/, "use lower-case letters, digits, - and _ (at most 95)");

/** Visibility: `public` is listed, `unlisted` is open to all who know its URL, `closed` only to members. */
export const Visibility = z.enum(["public", "unlisted", "closed"]);
export type Visibility = z.infer<typeof Visibility>;

/** When other accounts may read the sources of board entries. */
export const CodeVisibility = z.enum(["after_end", "always", "never"]);
export type CodeVisibility = z.infer<typeof CodeVisibility>;

/** What boards show of their entrants: account names, or a pseudonym for each account of the competition. */
export const EntrantNames = z.enum(["accounts", "pseudonyms"]);
export type EntrantNames = z.infer<typeof EntrantNames>;

/** Accounts that may submit: all that can see the competition, or only its members (by organising, invite or group). */
export const Participants = z.enum(["everyone", "members"]);
export type Participants = z.infer<typeof Participants>;

const Targets = z
  .array(TargetName)
  .min(1, "name a target, or leave it out for all")
  .max(100, "name at most 100")
  .refine((names) => new Set(names).size === names.length, "name each target once");

const Groups = z
  .array(GroupName)
  .max(100, "name at most 100")
  .refine((names) => new Set(names).size === names.length, "name each group once");

/** Problem of a competition. */
export const CompetitionProblem = z.strictObject({
  name: ProblemName,
  /** Targets whose boards are part of the competition; null applies the competition's own `targets`. */
  targets: Targets.nullable().default(null),
  /** When the problem's boards close, if before the end of the competition; else null. */
  endsAt: UtcDateTime.nullable().default(null),
  /** Limits that differ from those of the competition. */
  limits: Limits.optional(),
});
export type CompetitionProblem = z.infer<typeof CompetitionProblem>;

/** A plain string is short for a problem with no settings of its own. */
const ProblemChoice = z.preprocess(
  (value) => (typeof value === "string" ? { name: value } : value),
  CompetitionProblem,
);

/** Text that a database can store and a page can show: newlines and tabs, but no other control characters. */
const Text = z.string().regex(/^(?:[^\p{C}]|[\n\r\t\u200c\u200d])*$/u, "use printable characters");

/** Settings of a competition: the body of the create and change requests. */
export const CompetitionSpec = z
  .strictObject({
    name: CompetitionName,
    title: Text.trim().min(1, "give it a title").max(200, "use at most 200 characters"),
    description: Text.max(100_000, "use at most 100,000 characters").default(""),
    visibility: Visibility.default("public"),
    /** Start and end of the period in which ranked submissions are accepted. */
    startsAt: UtcDateTime,
    endsAt: UtcDateTime,
    /**
     * From `freezeAt` until `revealAt`, boards show only what was submitted before the freeze. Null if boards never
     * freeze.
     */
    freezeAt: UtcDateTime.nullable().default(null),
    /** Null reveals at `endsAt`; also null if boards never freeze. */
    revealAt: UtcDateTime.nullable().default(null),
    participants: Participants.default("everyone"),
    /** Groups at the OpenID Connect issuer whose members are members of the competition. */
    groups: Groups.default([]),
    /** Cannot change once a problem of the competition has submissions. */
    names: EntrantNames.default("accounts"),
    limits: Limits.prefault({}),
    codeVisibility: CodeVisibility.default("after_end"),
    /** Licence that every ranked submission must permit; null leaves the choice to each author. */
    licence: Licence.nullable().default(null),
    /** Maximum number of members of a team; 1 disables teams. A change does not affect existing teams. */
    teamSize: z.int("use a whole number").min(1, "use 1 for no teams").max(16, "use at most 16").default(1),
    /** Names of accounts. When omitted: the creator, or on a change the present organisers. */
    organisers: z.array(Text.max(200)).min(1, "name an organiser").max(100, "name at most 100").optional(),
    /**
     * Targets whose boards are part of the competition, unless a problem names its own; null for all targets of the
     * problems.
     */
    targets: Targets.nullable().default(null),
    /** A problem belongs to at most one competition. A problem in none is practice and open to all. */
    problems: z.array(ProblemChoice).max(1000, "name at most 1000").default([]),
  })
  .superRefine((spec, context) => {
    for (const [path, message] of disorder(spec)) context.addIssue({ code: "custom", path, message });
  });
export type CompetitionSpec = z.infer<typeof CompetitionSpec>;

/** Yields the path and message of each contradiction between dates and problems. */
function* disorder(
  spec: CompetitionDates & Pick<CompetitionSpec, "problems" | "names" | "teamSize">,
): Generator<[(string | number)[], string]> {
  // NaN compares false with everything, so a missing date contradicts nothing.
  const at = (moment: string | null) => (moment === null ? NaN : Date.parse(moment));
  const [starts, ends] = [at(spec.startsAt), at(spec.endsAt)];
  const [freeze, reveal] = [at(spec.freezeAt), at(spec.revealAt)];
  if (ends <= starts) yield [["endsAt"], "a competition ends after it starts"];
  if (freeze <= starts) yield [["freezeAt"], "boards freeze after the start"];
  if (freeze >= ends) yield [["freezeAt"], "boards freeze before the end"];
  if (reveal < ends) yield [["revealAt"], "boards are revealed at the end or later"];
  if (spec.revealAt !== null && spec.freezeAt === null) {
    yield [["revealAt"], "no freeze to end: set the time of the freeze too, or omit this"];
  }
  if (spec.names === "pseudonyms" && spec.teamSize > 1) {
    yield [["names"], "boards with pseudonyms have no teams: set the team size to 1"];
  }
  const names = new Set<string>();
  for (const [index, { name, endsAt }] of spec.problems.entries()) {
    if (names.has(name)) yield [["problems", index, "name"], `${name} is named twice`];
    names.add(name);
    if (at(endsAt) <= starts) yield [["problems", index, "endsAt"], `${name} ends after the competition starts`];
    if (at(endsAt) > ends) yield [["problems", index, "endsAt"], `${name} ends with the competition or before it`];
  }
}

/** Competition as returned to accounts that may see it. */
export const Competition = z.object({
  name: CompetitionName,
  title: z.string(),
  description: z.string(),
  visibility: Visibility,
  startsAt: z.iso.datetime(),
  endsAt: z.iso.datetime(),
  /** Period in which boards show only what was submitted before the freeze; both null if boards never freeze. */
  freezeAt: z.iso.datetime().nullable().default(null),
  revealAt: z.iso.datetime().nullable().default(null),
  participants: Participants.default("everyone"),
  /** Groups whose members are members of the competition; empty for callers who may not change it. */
  groups: Groups.default([]),
  names: EntrantNames.default("accounts"),
  limits: Limits.prefault({}),
  codeVisibility: CodeVisibility,
  licence: Licence.nullable(),
  /** Maximum number of members of a team; 1 if there are no teams. */
  teamSize: z.int().positive().default(1),
  organisers: z.array(AccountName),
  /**
   * Targets whose boards are part of the competition, unless a problem names its own; null for all targets of the
   * problems.
   */
  targets: Targets.nullable().default(null),
  /** Sorted by name. */
  problems: z.array(CompetitionProblem),
});
export type Competition = z.infer<typeof Competition>;

export const CompetitionList = z.object({ competitions: z.array(Competition) });

/** Dates that determine the phase of a competition. */
export type CompetitionDates = Pick<Competition, "startsAt" | "endsAt" | "freezeAt" | "revealAt">;

/**
 * Returns the competition as ended at `now`: a freeze that has not begun is removed, and so are later ends of its
 * problems.
 */
export function endedCompetition<Some extends CompetitionDates & Pick<Competition, "problems">>(
  competition: Some,
  now: Date,
): Some {
  const endsAt = now.toISOString();
  const isLater = (moment: string | null) => moment !== null && Date.parse(moment) >= now.getTime();
  const freezes = competition.freezeAt !== null && !isLater(competition.freezeAt);
  return {
    ...competition,
    endsAt,
    ...(!freezes && { freezeAt: null, revealAt: null }),
    problems: competition.problems.map((each) => ({ ...each, endsAt: isLater(each.endsAt) ? null : each.endsAt })),
  };
}

export function hasProblem({ problems }: Pick<Competition, "problems">, problem: string): boolean {
  return problems.some(({ name }) => name === problem);
}

/** Returns whether the board of a problem and a target is part of the competition. */
export function hasBoard(
  { targets, problems }: Pick<Competition, "targets" | "problems">,
  board: string,
  target: string,
) {
  const problem = problems.find(({ name }) => name === board);
  return problem !== undefined && ((problem.targets ?? targets)?.includes(target) ?? true);
}

/** Returns when the problem's boards close, as an ISO time. */
export function problemEndsAt({ endsAt, problems }: Pick<Competition, "endsAt" | "problems">, problem: string): string {
  return problems.find(({ name }) => name === problem)?.endsAt ?? endsAt;
}
