/**
 * Describes the differences between two versions of a problem: for organisers in the preview of a sync, for all in the
 * history.
 */
import { z } from "zod";
import { caseLine } from "../vocabulary/case-line.ts";
import { canonicalJson } from "../text/canonical-json.ts";
import { formatCount } from "../text/text.ts";
import { casesFor, weightsFor, type Case, type Problem, type ProblemSpec } from "../vocabulary/specification.ts";

export const CHANGE_KINDS = [
  "targets",
  "tests",
  "benchmarks",
  "tolerance",
  "ranking",
  "judging",
  "limits",
  "languages",
  "files",
  "starters",
  "text",
  "dates",
  "problems",
  "access",
] as const;

/** Change of a problem or a competition. */
export const Change = z.object({ kind: z.enum(CHANGE_KINDS), words: z.string() });
export type Change = z.infer<typeof Change>;

/** Maximum number of cases or files listed by name; beyond it, only their number is given. */
const NAMED = 3;

/** Returns the changes between two versions; empty if they differ only in comments and the order of keys. */
export function problemChanges(before: Problem, after: Problem): Change[] {
  const changes: Change[] = [];
  const note = (kind: Change["kind"], words: string | null): void => {
    if (words !== null) changes.push({ kind, words });
  };
  const [a, b] = [before.spec, after.spec];
  note("targets", listChange(Object.keys(a.targets), Object.keys(b.targets)));
  for (const stage of ["tests", "benchmarks"] as const)
    for (const words of caseChanges(a, b, stage)) note(stage, words);
  note("tolerance", valueChange(toleranceWords(a), toleranceWords(b)));
  note("ranking", valueChange(a.rankingBy, b.rankingBy));
  for (const words of weightChanges(a, b)) note("ranking", words);
  for (const words of [...judgingChanges(a, b), ...applicationChanges(a, b)]) note("judging", words);
  note("limits", limitChange(a.timeoutsS, b.timeoutsS));
  note("languages", valueChange(languageWords(a), languageWords(b)));
  note("files", mapChange(judgedFiles(before), judgedFiles(after)));
  note("starters", mapChange(a.templates, b.templates));
  if (a.description !== b.description) note("text", "the description");
  if (a.difficulty !== b.difficulty || JSON.stringify(a.tags) !== JSON.stringify(b.tags))
    note("text", "tags and difficulty");
  if (a.tolerance?.reason !== b.tolerance?.reason) note("text", "the reason of the tolerance");
  if (JSON.stringify(a.lowerPrecision) !== JSON.stringify(b.lowerPrecision))
    note("text", "which lower precision is accepted");
  if (JSON.stringify(a.inputStructure) !== JSON.stringify(b.inputStructure))
    note("text", "which structure of inputs is deliberate");
  note("text", mapChange(plainTexts(before), plainTexts(after)));
  return changes;
}

/**
 * Returns the files that affect judging: excludes `task.yml`, whose parsed content is compared, and templates and plain
 * texts.
 */
export function judgedFiles({ spec, files }: Problem): Record<string, string> {
  const starters = new Set(Object.values(spec.templates));
  return pick(files, (name, text) => {
    if (name === "task.yml" || isPlainText(name)) return false;
    return spec.harness === "legacy" || READ_BY_NAME.has(name) || !starters.has(text);
  });
}

/** Files that judge and worker open by name; they count even if a template has the same text. */
const READ_BY_NAME = new Set(["reference.py", "task.py", "task.h", "utils.py", "adapter.py"]);

function plainTexts({ files }: Problem): Record<string, string> {
  return pick(files, isPlainText);
}

function isPlainText(name: string): boolean {
  return /\.(md|rst)$|^LICEN[CS]E$/i.test(name);
}

function pick(
  files: Record<string, string>,
  isIncluded: (name: string, text: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([name, text]) => isIncluded(name, text)));
}

/**
 * Describes changes of cases for each target that both versions have; targets with the same change are listed together.
 */
function caseChanges(before: ProblemSpec, after: ProblemSpec, stage: "tests" | "benchmarks"): string[] {
  const common = Object.keys(after.targets).filter((target) => target in before.targets);
  const targetsOf = new Map<string, string[]>();
  for (const target of common) {
    const words = casesChange(casesFor(before, target)[stage], casesFor(after, target)[stage]);
    targetsOf.set(words, [...(targetsOf.get(words) ?? []), target]);
  }
  return [...targetsOf]
    .filter(([words]) => words !== "")
    .map(([words, targets]) => (targets.length === common.length ? words : `${targets.join(", ")}: ${words}`));
}

function casesChange(before: readonly Case[], after: readonly Case[]): string {
  const [old, now] = [caseLines(before, after), after.map(caseLine)];
  const words = listChange(old, now);
  if (words !== null) return words;
  return old.join("\n") === now.join("\n") ? "" : "in another order";
}

/** Describes earlier cases; those that a later version has, with the keys in the order of the later version. */
function caseLines(before: readonly Case[], after: readonly Case[]): string[] {
  const lines = new Map(after.map((one) => [canonicalJson(one), caseLine(one)]));
  return before.map((one) => lines.get(canonicalJson(one)) ?? caseLine(one));
}

function weightChanges(before: ProblemSpec, after: ProblemSpec): string[] {
  const words = new Set(
    Object.keys(after.targets)
      .filter((target) => target in before.targets)
      .map((target) => valueChange(weightWords(before, target), weightWords(after, target))),
  );
  return [...words].flatMap((change) => (change === null ? [] : [`weights: ${change}`]));
}

function weightWords(spec: ProblemSpec, target: string): string {
  return weightsFor(spec, target)?.join(", ") ?? "equal";
}

function judgingChanges(before: ProblemSpec, after: ProblemSpec): string[] {
  const judgingValues = (spec: ProblemSpec): Record<string, string> => ({
    outputs: String(spec.outputs),
    stop: spec.stop,
    regime: spec.regime,
    ranks: String(spec.worldSize ?? 1),
    harness: spec.harness === "judge" ? "ours" : (spec.main ?? spec.harness),
    "submission name": spec.submissionName,
    build: spec.build === undefined ? "none" : JSON.stringify(spec.build),
  });
  const [old, now] = [judgingValues(before), judgingValues(after)];
  return Object.entries(now).flatMap(([name, value]) => {
    const words = valueChange(old[name] ?? "", value);
    return words === null ? [] : [`${name}: ${words}`];
  });
}

/** Hidden cases are only counted: participants read the history. A change of them is listed among the files. */
function applicationChanges(before: ProblemSpec, after: ProblemSpec): string[] {
  const [old, now] = [before.application, after.application];
  const count = (application: typeof old) =>
    application === undefined ? "none" : formatCount(application.cases.length, "case");
  if (old === undefined || now === undefined) {
    const words = valueChange(count(old), count(now));
    return words === null ? [] : [`application: ${words}`];
  }
  const value = (name: string, a: string | number, b: string | number): string | null => {
    const words = valueChange(String(a), String(b));
    return words && `${name} ${words}`;
  };
  const [atBenchmarks] = caseLines([old.atBenchmarks ?? {}], [now.atBenchmarks ?? {}]);
  const changes = [
    listChange(caseLines(old.cases, now.cases), now.cases.map(caseLine)),
    value("at_benchmarks", atBenchmarks || "none", caseLine(now.atBenchmarks ?? {}) || "none"),
    value("hidden cases", old.hiddenCases?.length ?? 0, now.hiddenCases?.length ?? 0),
    value("rtol", old.rtol, now.rtol),
    value("timeout", old.timeoutS, now.timeoutS),
    value("gate", old.gate, now.gate),
    value("check_first", old.checkFirst, now.checkFirst),
    value("seconds_per_day", old.secondsPerDay, now.secondsPerDay),
  ];
  return changes.flatMap((words) => (words === null ? [] : [`application: ${words}`]));
}

function limitChange(before: ProblemSpec["timeoutsS"], after: ProblemSpec["timeoutsS"]): string | null {
  const stages = ["prepare", "test", "benchmark", "ranked", "profile"] as const;
  const changed = stages.filter((stage) => before[stage] !== after[stage]);
  return changed.map((stage) => `${stage}: ${before[stage]} s → ${after[stage]} s`).join(", ") || null;
}

function toleranceWords({ tolerance }: ProblemSpec): string {
  return tolerance === null ? "none" : `rtol ${tolerance.rtol}, atol ${tolerance.atol}`;
}

function languageWords({ languages }: ProblemSpec): string {
  return Object.entries(languages)
    .map(([language, options]) =>
      [language, ...(options !== undefined && "flags" in options ? options.flags : [])].join(" "),
    )
    .join(", ");
}

function valueChange(before: string, after: string): string | null {
  return before === after ? null : `${before} → ${after}`;
}

function mapChange(before: Record<string, string>, after: Record<string, string>): string | null {
  const changed = Object.keys(after).filter((name) => name in before && before[name] !== after[name]);
  const parts = [listChange(Object.keys(before), Object.keys(after)), named(changed, "changed")];
  return parts.filter((part) => part !== null).join("; ") || null;
}

function listChange(before: readonly string[], after: readonly string[]): string | null {
  const added = after.filter((one) => !before.includes(one));
  const removed = before.filter((one) => !after.includes(one));
  return [named(added, "added"), named(removed, "removed")].filter((part) => part !== null).join("; ") || null;
}

function named(names: readonly string[], what: string): string | null {
  if (names.length === 0) return null;
  return `${names.length > NAMED ? names.length : names.join(", ")} ${what}`;
}
