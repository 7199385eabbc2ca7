/** README of an exported data set: its solutions with figures, licences and receipts, and how engines use it. */
import { escapeMarkdown, formatRatio, formatTiming, machineName, markdownCode, markdownTable } from "@kernelbot/core";
import type { ExportedBoard } from "./exported-board.ts";

export function dataSetCard(boards: readonly ExportedBoard[], server: string): string {
  return [
    "# Kernels as FlashInfer Trace documents",
    `Exported from the leaderboards of ${server}. Each solution was judged by KernelBot, confirmed by a re-run on fresh seeds, and is licensed by its author; \`licences\` has the text. The licences do not cover the definitions and workloads.`,
    ...boards.flatMap(boardSection),
    "## Use",
    "flashinfer-bench applies the solution with the largest speedup for the axes of a call:",
    markdownCode("sh", "FIB_ENABLE_APPLY=1 FIB_DATASET_PATH=$PWD python engine.py"),
    "By default it takes only solutions whose largest absolute error is at most 0.01 and whose largest relative error is at most 0.00001; `max_absolute_error` and `max_relative_error` of the traces are those of one call on the board. Sizes that no workload has are not served.",
    "FlashInfer's Trace Apply takes one solution per definition: export with `--top 1`. It finds definitions by its own names, such as `rmsnorm_h4096`.",
    markdownCode("sh", "FLASHINFER_TRACE_APPLY=1 FLASHINFER_TRACE_APPLY_PATH=$PWD python engine.py"),
    "## Figures",
    "`latency_ms` is the wall time of one call by the judge's clock, the launch and Python included, with its 95 % confidence interval in `extra`; do not compare it with times of other tools. `speedup_factor` is relative to the reference of the definition, timed in the same run. On a CPU both times are given at the leaderboard's times of the reference.",
    "## Receipts",
    "`receipts` has the signed receipt of each run, with every sample, and the submitted file. To verify one:",
    markdownCode(
      "sh",
      `curl -o keys.json ${server}/api/v1/keys\nkernelbot verify receipts/RUN.json --source receipts/RUN-submission.py --key keys.json`,
    ),
    "",
  ].join("\n\n");
}

function boardSection({ documents, problem, target, solutions }: ExportedBoard): string[] {
  const rows = solutions.map(({ entry: { row, receipt, licence, submission, server }, solution }) => [
    String(row.rank),
    `\`${solution.name}\``,
    escapeMarkdown(receipt.account.name),
    licence,
    formatTiming(receipt.score.timeNs),
    receipt.score.speedup === null ? "–" : formatRatio(receipt.score.speedup.value),
    `[${submission.id}](${server}/submissions/${submission.id})`,
    `[${receipt.runId}](receipts/${receipt.runId}.json)`,
  ]);
  const machines = new Set(solutions.map(({ entry }) => machineName({ ...entry.receipt.machine })));
  return [
    `## ${escapeMarkdown(documents.definition.name)}`,
    `Leaderboard ${problem.spec.name} on ${target}, on ${escapeMarkdown([...machines].join(", "))}.`,
    markdownTable(["Rank", "Solution", "Participant", "Licence", "Runtime", "Speedup", "Submission", "Receipt"], rows),
    ...(documents.leftOut.length === 0
      ? []
      : [
          "Workloads that are not exported:",
          documents.leftOut.map(({ uuid, why }) => `- \`${escapeMarkdown(uuid)}\`: ${escapeMarkdown(why)}`).join("\n"),
        ]),
  ];
}
