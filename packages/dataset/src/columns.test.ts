import { join } from "node:path";
import { expect, test } from "vitest";
import { PLAUSIBLE_NS, TECHNIQUES } from "./analysis/index.ts";
import { COLUMNS, CORPUS_PARTS, CORPUS_VARIANTS, DEDUPLICATION_RULE, type Column } from "./columns.ts";

const DOCUMENT = join(import.meta.dirname, "../../../docs/reference/dataset-columns.md");

/** Generates the documentation page of the columns: vitest run packages/dataset -u writes it. */
function page(): string {
  const tables = Object.entries(COLUMNS).map(([kind, columns]) => `## ${TITLES[kind] ?? kind}\n\n${tableOf(columns)}`);
  const variants = Object.entries(CORPUS_VARIANTS).map(
    ([name, parts]) => `| ${name} | ${parts.map((part) => `\`${part}.parquet\``).join(", ")} |`,
  );
  const parts = Object.entries(CORPUS_PARTS).map(
    ([name, { deduplicated, successful }]) => `| \`${name}.parquet\` | ${yes(deduplicated)} | ${yes(successful)} |`,
  );
  const techniques = TECHNIQUES.map(({ name, meaning }) => `| ${name} | ${meaning} |`);
  return `# The columns of a dataset

Moments are in UTC, to the microsecond. A column that may be null says so; all others never are, except that every column
of the rows with code may be null by its schema, as in the corpus that exists. [How to use them](../guides/analyse-a-dataset.md).

${tables.join("\n\n")}

## Variants of the rows with code

${DEDUPLICATION_RULE}

Each row is in one of four files:

| file in \`COMPETITION/corpus/\` | deduplicated | successful |
| --- | --- | --- |
${parts.join("\n")}

The variants are unions of them:

| variant | files |
| --- | --- |
${variants.join("\n")}

## Techniques

What \`kernelbot dataset techniques\` recognises, by words of the code; comments and docstrings do not count. Kernels with a
time below ${PLAUSIBLE_NS} ns are left out.

| technique | meaning |
| --- | --- |
${techniques.join("\n")}
`;
}

const TITLES: Record<string, string> = {
  submissions: "`COMPETITION/submissions.parquet`: facts of each run, without code",
  samples: "`COMPETITION/samples.parquet`: the times of each case",
  code: "`COMPETITION/code.parquet`: each source once",
  corpus: "`COMPETITION/corpus/*.parquet`: rows with their code, in the columns of the corpus that exists",
  problems: "`problems.parquet`: each version of each problem",
  boards: "`boards.parquet`: each problem on each target",
  leaderboards: "`leaderboards.parquet`: each problem, in the columns of the corpus that exists",
};

function tableOf(columns: readonly Column[]): string {
  const rows = columns.map(
    ({ name, type, nullable, meaning }) => `| ${name} | ${type}${nullable ? ", may be null" : ""} | ${meaning} |`,
  );
  return ["| column | type | meaning |", "| --- | --- | --- |", ...rows].join("\n");
}

function yes(is: boolean): string {
  return is ? "yes" : "no";
}

test("the documentation tells the columns that the files have", async () => {
  await expect(page()).toMatchFileSnapshot(DOCUMENT);
});
