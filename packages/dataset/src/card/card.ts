/** Card of a snapshot: its README.md, with a YAML header for dataset hubs. */
import {
  escapeMarkdown,
  formatBytes,
  formatCount,
  markdownCode,
  markdownTable,
  type SnapshotManifest,
} from "@kernelbot/core";
import { COLUMNS, CORPUS_PARTS, CORPUS_VARIANTS, type FileKind } from "../columns.ts";
import { cardHeader, licencesOf, prettyName } from "./card-header.ts";
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
  return `${cardHeader(manifest)}\n# ${escapeMarkdown(prettyName(manifest))}\n\n${sections.join("\n\n")}\n`;
}

function whatItIs({ id, asOf, source, competitions }: SnapshotManifest): string {
  const sum = (key: "submissions" | "runs"): number => competitions.reduce((all, one) => all + one[key], 0);
  const address = originOf(source);
  const from = address === null ? "" : ` from <${address}>`;
  return `Kernels submitted to ${formatCount(competitions.length, "competition")} of KernelBot, with the result of each:
${formatCount(sum("submissions"), "submission")} and ${formatCount(sum("runs"), "run")}, with sources, verdicts, runtimes and all timing samples. All of these competitions
have ended, and each submission is published by its author under the licence of its row.

This is snapshot ${id}${from}, as of ${asOf}; its files never change. \`dataset.json\` describes it for
programs, \`skills.md\` is a guide with queries, and \`sha256sum --check SHA256SUMS\` verifies a copy.`;
}

function provisional({ provisional, competitions }: SnapshotManifest): string[] {
  if (!provisional) return [];
  const runs = competitions.reduce((all, { unfinished }) => all + unfinished, 0);
  return [
    `**Provisional.** ${formatCount(runs, "run")} of these competitions ${runs === 1 ? "was" : "were"} unfinished at that time (\`unfinished\` in \`dataset.json\`). A later
snapshot has more rows, and ranks may differ. Use the later one when it is available.`,
  ];
}

function quickStart(): string {
  return `## Quick start

In the directory of the snapshot, with DuckDB:

${markdownCode("sql", `${VIEWS}\n\n${FIRST_QUERY.sql};`)}

With pandas; with the \`datasets\` library from a hub, where OWNER/NAME is the name of this page there:

${markdownCode(
  "python",
  `import pandas as pd
from glob import glob

facts = pd.concat(pd.read_parquet(path) for path in sorted(glob("*/submissions.parquet")))
print(facts[facts.place == 1][["problem", "target", "user_name", "score_ns", "speedup"]])

from datasets import load_dataset
facts = load_dataset("OWNER/NAME", "facts", split="train")
kernels = load_dataset("OWNER/NAME", "deduplicated_successful_submissions", split="train", streaming=True)`,
)}

With KernelBot's command line, without other software:

${markdownCode("sh", `kernelbot dataset query --data . "${FIRST_QUERY.sql.replaceAll("\n", " ")}"`)}`;
}

function competitions({ competitions }: SnapshotManifest): string {
  const rows = competitions.map((one) => [
    `${escapeMarkdown(one.title)} (\`${one.name}\`)`,
    `${one.startedAt.slice(0, 10)} to ${one.endedAt.slice(0, 10)}`,
    one.problems.map(escapeMarkdown).join(", "),
    one.targets.map(escapeMarkdown).join(", "),
    one.users.toLocaleString("en-US"),
    one.submissions.toLocaleString("en-US"),
    one.runs.toLocaleString("en-US"),
    one.withheld.toLocaleString("en-US"),
  ]);
  const head = ["Competition", "From, to", "Problems", "Targets", "Users", "Submissions", "Runs", "Withheld"];
  return `## Competitions

${markdownTable(head, rows)}

Withheld submissions have no licence: their authors have not permitted publication, and this snapshot does not contain them. The
ranks of a leaderboard may therefore have gaps.`;
}

function files({ files }: SnapshotManifest): string {
  const rows = files
    .filter((file) => file.rows !== null)
    .map(({ path, rows, sizeBytes }) => [`\`${path}\``, (rows ?? 0).toLocaleString("en-US"), formatBytes(sizeBytes)]);
  return `## Files

${markdownTable(["File", "Rows", "Size"], rows)}

Parquet with zstd, in small row groups. Timestamps are in UTC, in microseconds; columns that end in \`_ns\` are in nanoseconds.
Each \`submissions.parquet\` has the facts of runs without code, so it is small; \`code.parquet\` has each source of its competition once and joins by \`code_sha256\`,
\`samples.parquet\` joins by \`run_id\`. The files below \`corpus/\` have facts and code in one row, with the columns of the older
corpus of such competitions. Each row is in one of these files:

${markdownTable(
  ["Table to load", "Files of each `corpus/`"],
  Object.entries(CORPUS_VARIANTS).map(([variant, parts]) => [
    `\`${variant}\``,
    parts.length === Object.keys(CORPUS_PARTS).length ? "all" : parts.map((part) => `\`${part}.parquet\``).join(", "),
  ]),
)}

Other tables are \`facts\` (every \`submissions.parquet\`, which is the table \`submissions\` in SQL), \`code\`, \`samples\`, \`problems\`, \`boards\` and \`leaderboards\`. Tables of one competition begin with its
name and a dot, such as \`NAME.facts\`.`;
}

function columns(): string {
  const kinds = (Object.keys(COLUMNS) as FileKind[]).map((kind) => {
    const rows = COLUMNS[kind].map(({ name, type, nullable, meaning }) => [
      `\`${name}\``,
      `${type}${nullable ? " or null" : ""}`,
      meaning,
    ]);
    return `### \`${PATTERNS[kind]}\`\n\n${markdownTable(["Column", "Type", "Meaning"], rows)}`;
  });
  return `## Columns\n\n${kinds.join("\n\n")}`;
}

function deduplication({ deduplication }: SnapshotManifest): string {
  return `## Deduplication

${escapeMarkdown(deduplication)}

\`deduplicated\` in the facts marks these rows.`;
}

function licences(manifest: SnapshotManifest): string {
  const rows = licencesOf(manifest).map(([licence, submissions]) => [
    escapeMarkdown(licence),
    submissions.toLocaleString("en-US"),
  ]);
  const counts =
    rows.length === 0 ? "This snapshot has no submissions." : markdownTable(["Licence", "Submissions"], rows);
  return `## Licences

Each row has its own licence, in the column \`licence\`, under which its author publishes the source and its results. If you
redistribute a source, comply with the licence of its row and, if it requires so, credit its author.

${counts}

Statements and references of problems were written by the organisers of their competitions and are not covered by the licences of
the rows: ask the organisers before you republish a problem.`;
}

const ANONYMITY = `## Anonymous rows

Some authors are published under a pseudonym (\`anonymous\` is true). In their rows, the account, its name, the numbers of submission and run,
and the file name are replaced by values that cannot be reversed without a key that the server keeps. They are the same in all files
and snapshots of one server, so joins work. Source, times, scores, ranks and device are unchanged: comparing them with a
public leaderboard, or recognising a coding style, may still identify an author. Please do not attempt this, and do not publish such guesses.`;

function withdrawn({ withdrawn }: SnapshotManifest): string {
  const what =
    withdrawn.length === 0
      ? "All submissions of earlier snapshots are in this one."
      : `${formatCount(withdrawn.length, "submission")} of earlier snapshots ${withdrawn.length === 1 ? "is" : "are"} not in this one. \`withdrawn\` in \`dataset.json\` lists the numbers.`;
  return `## Withdrawn submissions

${what} Removed submissions, and those of banned accounts, are excluded from every later snapshot. Use the
newest one. In copies of older snapshots and data derived from them, please delete the rows with these values of \`submission_id\`, and
their sources if no other row has the same \`code_sha256\`.`;
}

const LIMITS = `## Limitations of the measurements

- A runtime is measured from the release of the inputs until the judge has received the output, so it includes the communication with the
  process of the kernel: some tens of microseconds on a CPU. The reference was timed in the same way in the same session; \`speedup\` compares the two.
- Compare only runtimes of one \`problem_version\` on one \`target\`. Rows of one target may still differ in \`device\` and \`tester_version\`.
- A confidence interval (95 %) describes the variation between the rounds of one session. Other days, and other devices of the same model, can differ by more. Rows
  with \`rerun\` above 0 are the same submission again on fresh inputs, and show this variation; \`gives_score\` marks the row that ranks.
- A leaderboard shows the best of many attempts, which is partly luck. If that matters, use the reruns or all runs.
- Rows with \`unsandboxed\` were judged without isolation from the judge. Problems with their own harness share a process with the
  submission, and their runtimes are only as trustworthy as that harness.
- \`author_kind\` and \`model\` are declared by the author and not verified.`;

function citation({ id, createdAt, source }: SnapshotManifest): string {
  const year = createdAt.slice(0, 4);
  const address = originOf(source);
  const fields = [
    `  title  = {KernelBot kernels, snapshot ${id}},`,
    `  author = {{The participants and organisers of KernelBot}},`,
    `  year   = {${year}},`,
    ...(address === null ? [] : [`  url    = {${address}},`]),
    `  note   = {As of ${createdAt}}`,
  ];
  return `## Citation

${markdownCode("bibtex", `@misc{kernelbot${year}snapshot${id},\n${fields.join("\n")}\n}`)}`;
}

/** Returns scheme, host and port of a server's address; null when it is not an HTTP address. */
function originOf(source: string | null): string | null {
  const url = source === null ? null : URL.parse(source);
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null;
}
