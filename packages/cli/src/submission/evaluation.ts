/** Evaluations of one source: the request, and the result as text. */
import { languageOf, type Evaluation, type EvaluationRequest } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { formatBudget } from "../render/transcript.ts";

type Choice = Pick<EvaluationRequest, "problem" | "target" | "level" | "fresh"> & {
  rule: string | undefined;
  session: number | undefined;
};

/** Returns the request for a file. @throws UsageError if its extension names no language. */
export function toEvaluationRequest(fileName: string, code: string, { rule, session, ...choice }: Choice) {
  const language = languageOf(fileName);
  if (language === null) throw new UsageError(`${JSON.stringify(fileName)} must end in .py, .cpp or .cu`);
  return { ...choice, code, language, ...(rule !== undefined && { rule }), ...(session !== undefined && { session }) };
}

/** Formats an ended evaluation: its feedback, its reward, and where it was judged. */
export function evaluationLines(evaluation: Evaluation): string[] {
  const { id, state, feedback, reward, rule, cached, judgeMs, versions, session } = evaluation;
  const { unsandboxed, legacyHarness } = evaluation;
  const from = cached ? "result of an earlier evaluation of the same code" : `judged in ${judgeMs ?? 0} ms`;
  const where = versions.machine === null ? "" : ` on ${versions.machine}`;
  return [
    ...(feedback ?? `not judged: ${state}`).split("\n"),
    reward === null ? `no reward (${rule})` : `reward ${Number(reward.toFixed(4))} (${rule})`,
    ...(unsandboxed ? ["Judged without a sandbox: this result can be forged."] : []),
    ...(legacyHarness ? ["Judged by the problem's own harness: this result can be forged."] : []),
    `Evaluation ${id}: ${from}${where}`,
    ...(session === null ? [] : [`Session ${session.id}: ${formatBudget(session)}`]),
  ];
}
