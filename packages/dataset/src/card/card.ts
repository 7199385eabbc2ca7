/** Card of a snapshot: its README.md, with a YAML header for dataset hubs. */
import { formatCount, formatBytes, type SnapshotManifest } from "@kernelbot/core";
import { COLUMNS, CORPUS_PARTS, CORPUS_VARIANTS, type FileKind } from "../columns.ts";
import { cardHeader, licencesOf, prettyName } from "./card-header.ts";
import { block, plain, table } from "./markdown.ts";
import { FIRST_QUERY, PATTERNS, VIEWS } from "./queries.ts";

export function cardText(manifest: SnapshotManifest): string {
  const sections = [
    whatItIs(manifest),
    ...provisional(manifest),
    quickStart(),
    competitions(manifest),
    files(manifest),
    columns(),
    deduplication(manifest),
    licences(manifest),
    ANONYMITY,
    withdrawn(manifest),
    LIMITS,
    citation(manifest),
  ];
  return `${cardHeader(manifest)}\n# ${plain(prettyName(manifest))}\n\n${sections.join("\n\n")}\n`;
}

function whatItIs({ id, asOf, source, competitions }: SnapshotManifest): string {
  const sum = (key: "submissions" | "runs"): number => competitions.reduce((all, one) => all + one[key], 0);
  const address = originOf(source);
  const from = address === null ? "" : ` from <${address}>`;
  return `Kernels that people and programs wrote in ${formatCount(competitions.length, "competition")} of KernelBot, and how each of them was judged:
${formatCount(sum("submissions"), "submission")} and ${formatCount(sum("runs"), "run")}, with sources, verdicts, times and every timed sample. All of these competitions
have ended, and each author lets the submission be published under the licence of its row.

This is snapshot ${id}${from}: the state of ${asOf}, in files that never change. \`dataset.json\` describes it for
programs, \`skills.md\` is a guide with queries, and \`sha256sum --check SHA256SUMS\` checks a copy.`;
}

function provisional({ provisional, competitions }: SnapshotManifest): string[] {
  if (!provisional) return [];
  const runs = competitions.reduce((all, { unfinished }) => all + unfinished, 0);
  return [
    `**Provisional.** ${formatCount(runs, "run")} of these competitions ${runs === 1 ? "was" : "were"} not judged yet at that moment (\`unfinished\` in \`dataset.json\`). A later
snapshot has more rows, and places may differ. Use that one once it exists.`,
  ];
}

function quickStart(): string {
  return `## Quick start

In the directory of the snapshot, with DuckDB:

${block("sql", `${VIEWS}\n\n${FIRST_QUERY.sql};`)}

With pandas; with the \`datasets\` library from a hub, where OWNER/NAME is what this page is called there:

${block(
  "python",
  `import pandas as pd
from glob import glob

facts = pd.concat(pd.read_parquet(path) for path in sorted(glob("*/submissions.parquet")))
print(facts[facts.place == 1][["problem", "target", "user_name", "score_ns", "speedup"]])

from datasets import load_dataset
facts = load_dataset("OWNER/NAME", "facts", split="train")
kernels = load_dataset("OWNER/NAME", "deduplicated_successful_submissions", split="train", streaming=True)`,
)}

With KernelBot's own command line, without anything else installed:

${block("sh", `kernelbot dataset query --data . "${FIRST_QUERY.sql.replaceAll("\n", " ")}"`)}`;
}

function competitions({ competitions }: SnapshotManifest): string {
  const rows = competitions.map((one) => [
    `${plain(one.title)} (\`${one.name}\`)`,
    `${one.startedAt.slice(0, 10)} to ${one.endedAt.slice(0, 10)}`,
    one.problems.map(plain).join(", "),
    one.targets.map(plain).join(", "),
    one.users.toLocaleString("en-US"),
    one.submissions.toLocaleString("en-US"),
    one.runs.toLocaleString("en-US"),
    one.withheld.toLocaleString("en-US"),
  ]);
  const head = ["Competition", "From, to", "Problems", "Targets", "Users", "Submissions", "Runs", "Withheld"];
  return `## Competitions

${table(head, rows)}

Withheld are submissions without a licence: their authors have not let them be published, and nothing of them is here. The
places of a board may therefore have gaps.`;
}

function files({ files }: SnapshotManifest): string {
  const rows = files
    .filter((file) => file.rows !== null)
    .map(({ path, rows, sizeBytes }) => [`\`${path}\``, (rows ?? 0).toLocaleString("en-US"), formatBytes(sizeBytes)]);
  return `## Files

${table(["File", "Rows", "Size"], rows)}

Parquet with zstd, in small groups of rows; moments are in UTC, in microseconds; what ends in \`_ns\` is in nanoseconds.
Every \`submissions.parquet\` has the facts of runs without code, so it is small; \`code.parquet\` has each source of its competition once and joins by \`code_sha256\`,
\`samples.parquet\` joins by \`run_id\`. The files below \`corpus/\` have facts and code in one row, in the columns of the older
corpus of such competitions. Each of their rows is in one file:

${table(
  ["Table to load", "Files of each `corpus/`"],
  Object.entries(CORPUS_VARIANTS).map(([variant, parts]) => [
    `\`${variant}\``,
    parts.length === Object.keys(CORPUS_PARTS).length ? "all" : parts.map((part) => `\`${part}.parquet\``).join(", "),
  ]),
)}

Other tables are \`facts\` (every \`submissions.parquet\`, which is the table \`submissions\` in SQL), \`code\`, \`samples\`, \`problems\`, \`boards\` and \`leaderboards\`. Those of one competition alone begin with its
name and a dot, such as \`NAME.facts\`.`;
}

function columns(): string {
  const kinds = (Object.keys(COLUMNS) as FileKind[]).map((kind) => {
    const rows = COLUMNS[kind].map(({ name, type, nullable, meaning }) => [
      `\`${name}\``,
      `${type}${nullable ? " or null" : ""}`,
      meaning,
    ]);
    return `### \`${PATTERNS[kind]}\`\n\n${table(["Column", "Type", "Meaning"], rows)}`;
  });
  return `## Columns\n\n${kinds.join("\n\n")}`;
}

function deduplication({ deduplication }: SnapshotManifest): string {
  return `## Deduplication

${plain(deduplication)}

\`deduplicated\` in the facts says which rows these are.`;
}

function licences(manifest: SnapshotManifest): string {
  const rows = licencesOf(manifest).map(([licence, submissions]) => [
    plain(licence),
    submissions.toLocaleString("en-US"),
  ]);
  const counts =
    rows.length === 0 ? "There is no submission in this snapshot." : table(["Licence", "Submissions"], rows);
  return `## Licences

Each row has its own, in the column \`licence\`: the one under which its author lets the source and its results be published. Whoever
passes a source on keeps to the licence of its row and, where that asks for it, names its author.

${counts}

Statements and references of problems are by the organisers of their competitions. No licence of a row is theirs: ask them before
you publish a problem by itself.`;
}

const ANONYMITY = `## Anonymous rows

Some authors are here under a pseudonym (\`anonymous\` is true). Of their rows the account, its name, the numbers of submission and run,
and the file name are replaced by values that nobody can reckon back without a key that the server keeps; they are the same in all files
and snapshots of one server, so they join. Source, times, scores, places and device remain as they are: who compares them with a
public board, or knows how somebody writes, may still guess whose they are. Please do not, and do not publish what you guess.`;

function withdrawn({ withdrawn }: SnapshotManifest): string {
  const what =
    withdrawn.length === 0
      ? "Nothing that an earlier snapshot had is missing in this one."
      : `${formatCount(withdrawn.length, "submission")} that an earlier snapshot had ${withdrawn.length === 1 ? "is" : "are"} not in this one. \`withdrawn\` in \`dataset.json\` has the numbers.`;
  return `## Withdrawn submissions

${what} What was removed, or whose account was banned, is left out of every later snapshot. Use the
newest one. Of copies of older ones, and of what you made from them, please delete the rows whose \`submission_id\` is among the numbers, and
their sources where no other row has the same \`code_sha256\`.`;
}

const LIMITS = `## What the measurements do not say

- A time runs from the moment the inputs are released to the moment the judge holds the output, so it holds the way in and out of the
  process of the kernel: on a CPU some tens of microseconds. The reference was timed in the same way in the same session; \`speedup\` compares the two.
- Compare times of one \`problem_version\` on one \`target\`. \`device\` and \`tester_version\` say where rows of one target still differ.
- An interval is of one session, between its rounds, at 95 %. Another day, or another device of the same kind, can differ by more. Rows
  with \`rerun\` above 0 are the same submission again on fresh inputs, and show by how much.
- A board shows the best of many attempts, which is partly luck. Where that matters, use the reruns or all runs.
- Rows with \`unsandboxed\` were judged without isolation from the judge. Problems that bring a harness of their own share a process with the
  submission, and their times are only as trustworthy as that harness.
- Who wrote a kernel and with which model is what its author declared. Nobody has checked it.`;

function citation({ id, createdAt, source }: SnapshotManifest): string {
  const year = createdAt.slice(0, 4);
  const address = originOf(source);
  const fields = [
    `  title  = {KernelBot kernels, snapshot ${id}},`,
    `  author = {{The contestants and organisers of KernelBot}},`,
    `  year   = {${year}},`,
    ...(address === null ? [] : [`  url    = {${address}},`]),
    `  note   = {As of ${createdAt}}`,
  ];
  return `## Citation

${block("bibtex", `@misc{kernelbot${year}snapshot${id},\n${fields.join("\n")}\n}`)}`;
}

/** Returns scheme, host and port of a server's address; null when it is not an HTTP address. */
function originOf(source: string | null): string | null {
  const url = source === null ? null : URL.parse(source);
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null;
}
