/** Describes the differences between the stored settings of a competition and its file. */
import type { CompetitionSpec } from "./competition.ts";
import type { Change } from "../problem/changes.ts";

type Said = Omit<CompetitionSpec, "organisers">;

const DATES = { startsAt: "starts", endsAt: "ends", freezeAt: "freezes", revealAt: "is revealed" } as const;
const ACCESS = [
  "visibility",
  "participants",
  "groups",
  "names",
  "limits",
  "codeVisibility",
  "licence",
  "teamSize",
] as const;

/** Returns the changes from the stored settings to those of the file. */
export function competitionChanges(before: Said, after: Said): Change[] {
  const changes: Change[] = [];
  const note = (kind: Change["kind"], words: string): void => void changes.push({ kind, words });
  for (const [key, verb] of Object.entries(DATES) as [keyof typeof DATES, string][]) {
    const words = change(moment(before[key]), moment(after[key]));
    if (words !== null) note("dates", `${verb} ${words}`);
  }
  const known = new Map(before.problems.map((problem) => [problem.name, problem]));
  for (const { name, endsAt, targets } of after.problems) {
    const old = known.get(name);
    if (old === undefined) note("problems", `${name} added`);
    const end = change(moment(old?.endsAt ?? null), moment(endsAt));
    if (end !== null) note("dates", `${name} ends ${end}`);
    const boards = change(boardWords(old?.targets ?? null), boardWords(targets));
    if (old !== undefined && boards !== null) note("targets", `${name}: ${boards}`);
  }
  const named = new Set(after.problems.map(({ name }) => name));
  for (const { name } of before.problems) if (!named.has(name)) note("problems", `${name} removed`);
  const boards = change(boardWords(before.targets), boardWords(after.targets));
  if (boards !== null) note("targets", boards);
  for (const key of ACCESS) {
    const words = change(plain(before[key]), plain(after[key]));
    if (words !== null) note("access", `${key}: ${words}`);
  }
  if (before.title !== after.title) note("text", "the title");
  if (before.description !== after.description) note("text", "the description");
  return changes;
}

function change(before: string, after: string): string | null {
  return before === after ? null : `${before} → ${after}`;
}

/** Normalises the spelling of a moment, so that equal moments compare equal. */
function moment(at: string | null): string {
  return at === null ? "not said" : new Date(at).toISOString().replace(".000Z", "Z");
}

function boardWords(targets: readonly string[] | null): string {
  return targets === null ? "all" : targets.join(", ");
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
