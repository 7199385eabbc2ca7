/** Creates and changes the competitions of a problem tree according to their files. */
import type { Transaction } from "kysely";
import {
  competitionChanges,
  competitionStem,
  CompetitionSpec,
  hasProblem,
  type ProblemVisibility,
  type Change,
  type Competition,
  type FoundCompetition,
  type SyncedCompetition,
  type SyncedProblem,
} from "@kernelbot/core";
import { changeIn, createIn } from "../competitions/change.ts";
import { readCompetition } from "../competitions/competitions.ts";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { findOwnCompetitions, mergeOwn, releaseBoards, ruleDifference } from "./own-competitions.ts";
import { catchRefusal } from "./savepoint.ts";
import type { FoundProblem } from "./tree.ts";

/** Competition as its file defines it, and as it exists now. */
export interface CompetitionPlan {
  file: string;
  name: string;
  /** Error in the file, with the file's name; null if the file is valid. */
  error: string | null;
  spec: CompetitionSpec | null;
  /** Null if the competition does not exist yet. */
  before: Competition | null;
  /** Competitions of only one board, whose boards move into this one. */
  own: Competition[];
  has: (problem: FoundProblem) => boolean;
}

/** Minimum duration of a competition whose end is in the past when it is first synced, in milliseconds. */
const SHORTEST_MS = 60_000;

export async function planOf(
  database: Database,
  identity: Identity,
  { file, read }: FoundCompetition,
  { now, visibility }: { now: Date; visibility: ProblemVisibility | null },
): Promise<CompetitionPlan> {
  const none = { file, name: competitionStem(file), spec: null, before: null, own: [], has: () => false };
  if ("error" in read) return { ...none, error: read.error };
  const { name, problems } = read.spec(() => 0);
  const has = (problem: FoundProblem) => problems.some((one) => one.name === problem.name);
  const before = await readCompetition(database, identity, name);
  const own = await findOwnCompetitions(database, identity, { name, problems });
  // The existing format has no start time: boards open when they are first synced, or keep the entries that they have.
  const starts = [before, ...own].flatMap((one) => (one === null ? [] : Date.parse(one.startsAt)));
  const opensAt = (firstEnd: number) =>
    Math.min(...(starts.length === 0 ? [now.getTime()] : starts), firstEnd - SHORTEST_MS);
  const fileSpec = read.spec(opensAt);
  const { title, description, startsAt, endsAt } = fileSpec;
  const settings = before ?? own[0];
  const known = [before ?? [], own].flat().flatMap((one) => one.problems);
  const spec = read.isWhole
    ? fileSpec
    : settings === undefined
      ? { ...fileSpec, visibility: visibility ?? fileSpec.visibility }
      : {
          ...keptOf(settings),
          name,
          title,
          description,
          startsAt,
          endsAt,
          problems: keepSettings(known, fileSpec.problems),
        };
  const checked = CompetitionSpec.safeParse(spec);
  if (checked.success) return { file, name, error: null, spec: checked.data, before, own, has };
  const [issue] = checked.error.issues;
  return { ...none, name, has, error: `${file}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}` };
}

/** Returns the settings that organisers chose and that the file does not define. */
function keptOf({ organisers: _, ...rest }: Competition): Omit<CompetitionSpec, "organisers"> {
  return rest;
}

/** Returns the problems of a file with the targets and limits that organisers chose, which such a file does not state. */
function keepSettings(
  known: CompetitionSpec["problems"],
  problems: CompetitionSpec["problems"],
): CompetitionSpec["problems"] {
  return problems.map(({ name, endsAt }) => {
    const { targets = null, limits } = known.find((problem) => problem.name === name) ?? {};
    return { name, targets, endsAt, limits };
  });
}

/**
 * Creates or changes a competition as its file says.
 * @param problems Outcomes of its problems, which are already stored. Refused problems are left out, unless they are
 * already in the competition.
 * @param visibility Required visibility, or the competition is refused; null for any.
 */
export async function syncCompetition(
  transaction: Transaction<Tables>,
  identity: Identity,
  { file, name, error, spec, before, own }: CompetitionPlan,
  { problems, visibility }: { problems: readonly SyncedProblem[]; visibility: ProblemVisibility | null },
): Promise<SyncedCompetition> {
  const refused = (why: string): SyncedCompetition => ({ name, file, outcome: "refused", why, changes: [] });
  if (error !== null || spec === null) return refused(error ?? "");
  if (visibility !== null && (spec.visibility === "closed") !== (visibility === "closed")) {
    return refused(`requested as ${visibility}, but it is ${spec.visibility}; change its visibility first`);
  }
  const difference = ruleDifference(own, spec);
  if (difference !== null) return refused(difference);
  const isIn = (problem: string) => [before ?? [], own].flat().some((one) => hasProblem(one, problem));
  const leftOut = problems.filter((one) => one.outcome === "refused" && !isIn(one.name)).map((one) => one.name);
  const requested = { ...spec, problems: spec.problems.filter((one) => !leftOut.includes(one.name)) };
  const changes: Change[] = [
    ...(before === null
      ? initialChanges(requested)
      : [...competitionChanges(before, requested), ...organiserChange(before, requested)]),
    ...own.map((one) => ({ kind: "problems" as const, words: `${one.name} moved from a competition of its own` })),
    ...leftOut.map((one) => ({ kind: "problems" as const, words: `${one} omitted because it was rejected` })),
  ];
  const isSame = before !== null && changes.length === leftOut.length;
  const result = await catchRefusal(transaction, async () => {
    await releaseBoards(transaction, identity, own);
    if (before === null) await createIn(transaction, identity, requested);
    else if (!isSame) await changeIn(transaction, identity, requested);
    await mergeOwn(transaction, identity, own, name);
    return {};
  });
  if ("why" in result) return refused(result.why);
  return { name, file, outcome: before === null ? "new" : isSame ? "unchanged" : "changed", why: null, changes };
}

function initialChanges({ startsAt, endsAt, problems }: CompetitionSpec): Change[] {
  return [
    { kind: "dates", words: `from ${startsAt} until ${endsAt}` },
    { kind: "problems", words: problems.map(({ name }) => name).join(", ") || "none" },
  ];
}

function organiserChange(before: Competition, { organisers }: CompetitionSpec): Change[] {
  const named = (names: readonly string[]) => names.toSorted().join(", ");
  const [old, now] = [named(before.organisers.map(({ name }) => name)), named(organisers ?? [])];
  return organisers === undefined || old === now ? [] : [{ kind: "access", words: `organisers: ${old} → ${now}` }];
}
