/** Entries to export, without a server. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Receipt, SignedReceipt, type Language, type Licence, type ProblemDetail } from "@kernelbot/core";
import { H100 } from "../machine.ts";
import { boardRow, problem, run, submission } from "./samples.ts";

const VECTOR = resolve(import.meta.dirname, "../../../core/src/receipt/receipt.vector.json");

export interface ExportedEntryOptions {
  source?: string;
  fileName?: string;
  problem?: ProblemDetail;
  target?: "cpu" | "H100";
}

/** Returns a confirmed entry under the MIT licence; its receipt has the signature of another machine and source. */
export function exportedEntry({
  source = "from task import input_t, output_t\n\n\ndef custom_kernel(data: input_t) -> output_t:\n    a, b, c = data\n    return c.copy_(a + b)\n",
  fileName = "kernel.py",
  problem: judged = problem({ "task.py": TASK }),
  target = "cpu",
}: ExportedEntryOptions = {}) {
  const receiptText = readFileSync(VECTOR, "utf8");
  const signed = SignedReceipt.parse(JSON.parse(receiptText));
  const { hostname: _, ...machine } = target === "H100" ? H100 : { ...signed.receipt.machine, hostname: "" };
  const receipt = Receipt.parse({ ...signed.receipt, board: judged.spec.name, target, fileName, machine });
  const language: Language = fileName.endsWith(".py") ? "py" : fileName.endsWith(".cu") ? "cu" : "cpp";
  const licence: Licence = "MIT";
  return {
    submission: submission([run({ mode: "ranked" })], { fileName, licence: "MIT", board: judged.spec.name }),
    licence,
    language,
    row: boardRow(1, "ada", { verification: "confirmed", submissionId: 12, runId: 7 }),
    entries: 3,
    problem: judged,
    source,
    receiptText,
    receipt,
    backend: BACKENDS[target],
    server: "https://kernels.example",
  };
}

const BACKENDS: Record<"cpu" | "H100", { type: "cpu" | "cuda"; archs: string[]; device: "cpu" | "cuda" }> = {
  cpu: { type: "cpu", archs: [], device: "cpu" },
  H100: { type: "cuda", archs: ["9.0"], device: "cuda" },
};

const TASK = `from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""\`(a, b, c)\`: two vectors and the output buffer."""

output_t = torch.Tensor
`;
