/** Card of an exported kernel: what it computes, how fast it was, how that was checked, and under which licence. */
import {
  caseLine,
  casesFor,
  escapeMarkdown,
  formatAuthor,
  formatRatio,
  formatRatioRange,
  formatScore,
  formatTiming,
  machineName,
  markdownCode,
  markdownTable,
  sanitize,
  scoreCases,
  type Licence,
} from "@kernelbot/core";
import { extensionOf, type Entry } from "@kernelbot/cli/src/kernel-export/entry.ts";
import type { KernelNames } from "@kernelbot/cli/src/kernel-export/names.ts";

/** Place of the repository's name in the card; publication replaces it. */
export const REPOSITORY_PLACEHOLDER = "OWNER/NAME";

interface CardOptions {
  names: KernelNames;
  /** Call of the public function. */
  signature: string;
  /** Markdown: how to install and call the kernel. */
  usage: string;
  /** Paragraphs of Markdown: what a user has to know before using the kernel. */
  notes: readonly string[];
  /** Command that runs the tests. */
  testCommand: string;
}

/** Returns the header of a card, which the Hub reads. */
export function frontMatter(licence: Licence): string {
  return `---\nlibrary_name: kernels\nlicense: ${licence.toLowerCase()}\ntags:\n- kernelbot\n---\n`;
}

/** Returns how to load a kernel from the Hub and call it. */
export function hubUsage(signature: string, version: number): string {
  const load = `kernel = get_kernel("${REPOSITORY_PLACEHOLDER}", version=${version}, trust_remote_code=True)`;
  return markdownCode("python", `from kernels import get_kernel\n\n${load}\nkernel.${signature}`);
}

/** Returns the sections of a card from its title on. */
export function cardText(entry: Entry, { names, signature, usage, notes, testCommand }: CardOptions): string {
  const { problem, receipt } = entry;
  const { spec } = problem;
  const author = formatAuthor(entry.submission.author);
  return [
    `# ${names.hub}`,
    sanitize(spec.description).trim(),
    "## Usage",
    usage,
    `\`${signature}\`: ${inputText(entry)}`,
    ...notes,
    "## Benchmark",
    benchmark(entry),
    "## Correctness",
    correctness(entry, testCommand),
    "## Receipt",
    receiptText(entry),
    "## Licence",
    `The kernel is licensed under ${entry.licence} by ${escapeMarkdown(receipt.account.name)}, as declared with the submission${author === null ? "" : ` (author: ${escapeMarkdown(author)})`}; see \`LICENSE\`. The licence does not cover the problem's files (${problemFiles(entry)}), which were published by ${entry.server}.`,
    "",
  ].join("\n\n");
}

function problemFiles({ language }: Entry): string {
  return language === "py"
    ? "`tests/problem` and the modules next to the kernel that are not the kernel"
    : "`tests/problem` and `task.h`";
}

function inputText({ problem }: Entry): string {
  const { outputs } = problem.spec;
  const last =
    outputs === 1 ? "the last tensor is the output buffer" : `the last ${outputs} tensors are the output buffers`;
  return `the input as the problem describes it; ${last}, which the function fills and returns.`;
}

function benchmark({ receipt, row, entries, server }: Entry): string {
  const { board, target, machine, rankingBy, stop, score, regime } = receipt;
  const { cases } = scoreCases(receipt.cases, rankingBy, target, stop);
  const page = `${server}/boards/${board}/${encodeURIComponent(target)}`;
  const lines = cases.map(({ timeNs, speedup }, index) => [
    escapeMarkdown(caseLine(receipt.cases[index]?.case ?? {})),
    formatTiming(timeNs),
    speedup === null ? "–" : `${formatRatio(speedup.value)} (${formatRatioRange(speedup)})`,
  ]);
  return [
    `Rank ${row.rank} of ${entries} on the leaderboard [${board} on ${target}](${page}) at the time of the export: ${formatScore(score)}. The entry was confirmed by a re-run on fresh seeds.`,
    markdownTable(["Case", "Runtime", "Speedup (95 % CI)"], lines),
    `Measured on ${receipt.finishedAt.slice(0, 10)} on ${escapeMarkdown(machineName({ ...machine }))} with PyTorch ${escapeMarkdown(machine.frameworks.torch ?? "of unknown version")}; calls were timed ${regime === "isolated" ? "one by one, with cold caches" : "without a pause in between"}. The reference is the \`ref_kernel\` of \`tests/problem/reference.py\`. Runtimes on other machines and of other shapes are not known.`,
  ].join("\n\n");
}

function correctness({ problem, receipt }: Entry, testCommand: string): string {
  const { tolerance } = problem.spec;
  const { tests } = casesFor(problem.spec, receipt.target);
  return [
    tolerance === null
      ? "The outputs were checked by the problem's own checker, `check_implementation` of `tests/problem/reference.py`."
      : `The outputs were checked by \`abs(got - expected) <= ${tolerance.atol} + ${tolerance.rtol} * abs(expected)\`. ${sanitize(tolerance.reason).trim()}`,
    "The kernel was judged on these cases and on those of the benchmark, with secret seeds. It was not judged on other shapes and dtypes, and may be incorrect there. Gradients and `torch.compile` were not tried.",
    tests.map((each) => `- ${escapeMarkdown(caseLine(each))}`).join("\n"),
    `The problem's version was \`${receipt.problemVersion.slice(0, 16)}\`${problem.version === receipt.problemVersion ? "" : `; the files in \`tests\` are those of the later version \`${problem.version.slice(0, 16)}\``}.`,
    `To compare the kernel with the reference on these cases: \`${testCommand}\`.`,
  ].join("\n\n");
}

function receiptText({ receipt, server }: Entry): string {
  const verify = `curl -o keys.json ${server}/api/v1/keys\nkernelbot verify receipt/receipt.json --source receipt/${SUBMISSION_STEM}${extensionOf(receipt.fileName)} --key keys.json`;
  return [
    `\`receipt/receipt.json\` is the signed receipt of run ${receipt.runId} of [submission ${receipt.submissionId}](${server}/submissions/${receipt.submissionId}): it has every timing sample, and binds them to the source next to it, whose SHA-256 is \`${receipt.source.sha256}\`. To verify it:`,
    markdownCode("sh", verify),
  ].join("\n\n");
}

/** Name of the submitted file in the export, without its extension. */
const SUBMISSION_STEM = "submission";

/** Returns the files below `receipt/`: the receipt, and the source byte for byte. */
export function receiptFiles({ receiptText: text, receipt, source }: Entry): [string, string][] {
  return [
    ["receipt/receipt.json", `${text.trimEnd()}\n`],
    [`receipt/${SUBMISSION_STEM}${extensionOf(receipt.fileName)}`, source],
  ];
}
