/** Competitions: problems with dates, and who may see them and take part. */
import { z } from "zod";
import { AccountName } from "./board.ts";
import { Licence } from "./declaration.ts";
import { Limits } from "./limits.ts";
import { Moment } from "./moment.ts";
import { ProblemName, TargetName } from "./problem-spec.ts";

/** As it stands in addresses. */
export const CompetitionName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,94}$/, "use lower-case letters, digits, - and _ (at most 95)");

/** Who finds it: everybody in lists, whoever has the address, or its members alone. */
export const Visibility = z.enum(["public", "unlisted", "closed"]);
export type Visibility = z.infer<typeof Visibility>;

/** When others may read the source of what stands on its boards. */
export const CodeVisibility = z.enum(["after_end", "always", "never"]);
export type CodeVisibility = z.infer<typeof CodeVisibility>;

/** Who may submit: everybody who finds it, or those alone who organise it or claimed an invite code. */
export const Participants = z.enum(["everyone", "members"]);
export type Participants = z.infer<typeof Participants>;

const Targets = z
  .array(TargetName)
  .min(1, "name a target, or leave it out for all")
  .max(100, "name at most 100")
  .refine((names) => new Set(names).size === names.length, "name each target once");

/** A problem of a competition. */
export const CompetitionProblem = z.strictObject({
  name: ProblemName,
  /** The boards that are part of the competition; null where its own `targets` say so. */
  targets: Targets.nullable().default(null),
  /** The end of its boards, where they end before the competition; else null. */
  endsAt: Moment.nullable().default(null),
  /** What is limited on its boards otherwise than in the competition. */
  limits: Limits.optional(),
});
export type CompetitionProblem = z.infer<typeof CompetitionProblem>;

/** A name alone stands for a problem without anything of its own. */
const ProblemChoice = z.preprocess(
  (value) => (typeof value === "string" ? { name: value } : value),
  CompetitionProblem,
);

/** Text that a database can store and a page can show: lines, and no other control characters. */
const Text = z.string().regex(/^(?:[^\p{C}]|[\n\r\t\u200c\u200d])*$/u, "use printable characters");

/** What an organiser decides of a competition: the body of its creation and of its change. */
export const CompetitionSpec = z
  .strictObject({
    name: CompetitionName,
    title: Text.trim().min(1, "give it a title").max(200, "use at most 200 characters"),
    description: Text.max(100_000, "use at most 100,000 characters").default(""),
    visibility: Visibility.default("public"),
    /** The first and the last moment of ranked submissions. */
    startsAt: Moment,
    endsAt: Moment,
    /** From `freezeAt` until `revealAt` boards show what was submitted before; null where they never freeze. */
    freezeAt: Moment.nullable().default(null),
    /** Null for the end, and where nothing freezes. */
    revealAt: Moment.nullable().default(null),
    participants: Participants.default("everyone"),
    limits: Limits.prefault({}),
    codeVisibility: CodeVisibility.default("after_end"),
    /** Under which ranked submissions must be publishable; null where each author decides. */
    licence: Licence.nullable().default(null),
    /** How many may be in a team; 1 where everybody takes part alone. Teams that there are stay as they are. */
    teamSize: z.int("use a whole number").min(1, "use 1 for no teams").max(16, "use at most 16").default(1),
    /** Names of accounts. Left out: who creates it, and nobody else than before when it is changed. */
    organisers: z.array(Text.max(200)).min(1, "name an organiser").max(100, "name at most 100").optional(),
    /** The boards that are part of it, but for problems that name their own; null for all that the problems have. */
    targets: Targets.nullable().default(null),
    /** Each problem is in one competition at most; one that is in none is practice, open to all. */
    problems: z.array(ProblemChoice).max(1000, "name at most 1000").default([]),
  })
  .superRefine((spec, context) => {
    for (const [path, message] of disorder(spec)) context.addIssue({ code: "custom", path, message });
  });
export type CompetitionSpec = z.infer<typeof CompetitionSpec>;

/** What of the dates and problems does not go together, with where it stands. */
function* disorder(spec: Dates & Pick<CompetitionSpec, "problems">): Generator<[(string | number)[], string]> {
  // Nothing is before or after a moment that there is not.
  const at = (moment: string | null) => (moment === null ? NaN : Date.parse(moment));
  const [starts, ends] = [at(spec.startsAt), at(spec.endsAt)];
  const [freeze, reveal] = [at(spec.freezeAt), at(spec.revealAt)];
  if (ends <= starts) yield [["endsAt"], "a competition ends after it starts"];
  if (freeze <= starts) yield [["freezeAt"], "boards freeze after the start"];
  if (freeze >= ends) yield [["freezeAt"], "boards freeze before the end"];
  if (reveal < ends) yield [["revealAt"], "boards are revealed at the end or later"];
  if (spec.revealAt !== null && spec.freezeAt === null) {
    yield [["revealAt"], "there is nothing to reveal; say when the boards freeze, or leave it out"];
  }
  const names = new Set<string>();
  for (const [index, { name, endsAt }] of spec.problems.entries()) {
    if (names.has(name)) yield [["problems", index, "name"], `${name} is named twice`];
    names.add(name);
    if (at(endsAt) <= starts) yield [["problems", index, "endsAt"], `${name} ends after the competition starts`];
    if (at(endsAt) > ends) yield [["problems", index, "endsAt"], `${name} ends with the competition or before it`];
  }
}

/** A competition as those see it who may. */
export const Competition = z.object({
  name: CompetitionName,
  title: z.string(),
  description: z.string(),
  visibility: Visibility,
  startsAt: z.iso.datetime(),
  endsAt: z.iso.datetime(),
  /** From when until when boards show what was submitted before; both null where they never freeze. */
  freezeAt: z.iso.datetime().nullable().default(null),
  revealAt: z.iso.datetime().nullable().default(null),
  participants: Participants.default("everyone"),
  limits: Limits.prefault({}),
  codeVisibility: CodeVisibility,
  licence: Licence.nullable(),
  /** 1 where there are no teams. */
  teamSize: z.int().positive().default(1),
  organisers: z.array(AccountName),
  /** Null where all boards of its problems are part of it, but for those that name their own. */
  targets: Targets.nullable().default(null),
  /** In order of name. */
  problems: z.array(CompetitionProblem),
});
export type Competition = z.infer<typeof Competition>;

export const CompetitionList = z.object({ competitions: z.array(Competition) });

/** The dates of a competition, of which it is known in which phase it is. */
export type Dates = Pick<Competition, "startsAt" | "endsAt" | "freezeAt" | "revealAt">;

/** What it becomes when it is ended at once: what was to come later does not come. */
export function endedAt<Some extends Dates & Pick<Competition, "problems">>(competition: Some, now: Date): Some {
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

/** Whether a board of one of its problems is part of it. */
export function hasBoard(
  { targets, problems }: Pick<Competition, "targets" | "problems">,
  board: string,
  target: string,
) {
  const problem = problems.find(({ name }) => name === board);
  return problem !== undefined && ((problem.targets ?? targets)?.includes(target) ?? true);
}

/** The end of a problem's boards. */
export function endOf({ endsAt, problems }: Pick<Competition, "endsAt" | "problems">, problem: string): string {
  return problems.find(({ name }) => name === problem)?.endsAt ?? endsAt;
}
