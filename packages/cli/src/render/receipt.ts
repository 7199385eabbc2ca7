/** Receipts and the results of their checks. */
import { formatScore, machineName, marksOf, type Receipt, type ReceiptCheck } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { oneLine, pad } from "../output/text.ts";
import { moment, tick } from "./format.ts";

/** Formats the output of `kernelbot verify`; `whose` names the origin of the trusted keys. */
export function receiptLines(receipt: Receipt, checks: readonly ReceiptCheck[], whose: string, style: Style): string[] {
  const { board, target, account, runId, submissionId, finishedAt, score, source, fileName, machine } = receipt;
  const wide = Math.max(...checks.map(({ name }) => name.length));
  const failed = checks.filter((check) => check.ok === false);
  return [
    `${style.bold(`${board} on ${target}`)}, run ${runId} of submission ${submissionId}`,
    `  ${[formatScore(score), ...marksOf({ ...receipt, noisy: score.noisy }).map(style.yellow)].join(", ")}`,
    `  ${oneLine(fileName)} by ${oneLine(account.name)}, SHA-256 ${source.sha256.slice(0, 16)}…`,
    `  ${moment(finishedAt)} on ${oneLine(machineName(machine))}`,
    "",
    ...checks.map(({ name, ok, detail }) => {
      const words = name === "signature" && ok === true ? `${detail}, from ${oneLine(whose)}` : detail;
      return `  ${tick(ok, style)} ${pad(name, wide)}  ${words}`;
    }),
    "",
    failed.length === 0
      ? style.green("The receipt is valid.")
      : style.red(`The receipt is not valid: ${failed.map(({ name }) => name).join(", ")}.`),
  ];
}
