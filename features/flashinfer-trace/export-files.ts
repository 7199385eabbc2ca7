/** Files of an exported data set, in the layout of flashinfer-bench. */
import { pathName } from "@kernelbot/core";
import { extensionOf } from "@kernelbot/cli/src/kernel-export/entry.ts";
import { licenceText } from "@kernelbot/cli/src/kernel-export/licence-text.ts";
import { UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { dataSetCard } from "./data-set-card.ts";
import type { ExportedBoard } from "./exported-board.ts";
import type { ProblemDocuments } from "./own-documents.ts";
import { resultLines } from "./result.ts";

/** Returns the files by path. @throws UsageError if two definitions have the same path */
export function dataSetFiles(boards: readonly ExportedBoard[], server: string): Map<string, string | Uint8Array> {
  const files = new Map<string, string | Uint8Array>([["README.md", dataSetCard(boards, server)]]);
  for (const board of boards) {
    for (const [path, content] of [
      ...documentFiles(board.documents),
      ...board.solutions.flatMap((each) => solutionFiles(board, each)),
    ]) {
      const before = files.get(path);
      if (before === undefined || before === content) files.set(path, content);
      else if (path.startsWith("traces/") && typeof before === "string" && typeof content === "string")
        files.set(path, `${before}${content}`);
      else
        throw new UsageError(
          `${JSON.stringify(path)} would be written for two boards: export ${board.problem.spec.name} to a folder of its own`,
        );
    }
  }
  return files;
}

type File = [path: string, content: string | Uint8Array];

/** Path of a definition below the folders by kind, without its ending. */
function definitionPath({ definition }: ProblemDocuments): string {
  return `${pathName(definition.op_type ?? "other")}/${pathName(definition.name)}`;
}

function documentFiles(documents: ProblemDocuments): File[] {
  const path = definitionPath(documents);
  const linesOf = (form: "trace" | "bare") =>
    documents.workloads
      .filter((each) => each.form === form)
      .map(({ line }) => `${line}\n`)
      .join("");
  return [
    [`definitions/${path}.json`, documents.definitionText],
    [`workloads/${path}.jsonl`, linesOf("trace")],
    [`${BARE}/${path}.jsonl`, linesOf("bare")],
    ...documents.tensors,
  ].filter(([, content]) => content !== "") as File[];
}

/** Folder of workloads that are not traces, which flashinfer-bench refuses in `workloads`. */
const BARE = "bare-workloads";

function solutionFiles(
  { documents }: ExportedBoard,
  { entry, errors, solution }: ExportedBoard["solutions"][number],
): File[] {
  const { receipt, receiptText, source, licence, submission, server } = entry;
  const path = definitionPath(documents);
  const receiptPath = `receipts/${receipt.runId}.json`;
  const lines = resultLines(documents, solution.name, { receipt, errors, server, receiptPath });
  return [
    [`solutions/${solution.author}/${path}/${solution.name}.json`, `${JSON.stringify(solution, null, 2)}\n`],
    [`traces/${solution.author}/${path}.jsonl`, lines.map((line) => `${line}\n`).join("")],
    [receiptPath, `${receiptText.trimEnd()}\n`],
    [`receipts/${receipt.runId}-submission${extensionOf(receipt.fileName)}`, source],
    [`licences/${solution.name}.txt`, licenceText(licence, receipt.account.name, submission.createdAt.slice(0, 4))],
  ];
}
