/** Formats a run with the evidence for a moderator's decision. */
import { hunkHeader, type Inspection, type SimilarSubmission } from "@kernelbot/core";
import { fit, oneLine } from "../output/text.ts";
import { flagLines } from "./moderation.ts";
import type { Page } from "./page.ts";
import { runLines } from "./run.ts";

export function inspectionLines({ run, account, flags, similar }: Inspection, page: Page): string[] {
  const { style, width } = page;
  return [
    `${style.bold(`run ${run.id}`)} of submission ${run.submissionId}, ${run.board}, by ${oneLine(account.name)}`,
    ...flagLines(flags, width, style),
    "",
    ...runLines(run, null, page),
    "",
    style.bold("Most similar sources"),
    ...(similar === null
      ? ["  Not compared: the comparison failed, or took too long. Try again later."]
      : similar.length === 0
        ? ["  No similar submission of another account."]
        : similar.flatMap((each) => similarLines(each, page))),
  ];
}

function similarLines(
  { submissionId, account, fileName, earlier, similarity, diff }: SimilarSubmission,
  { width, style }: Page,
): string[] {
  const when = earlier ? "submitted earlier" : "submitted later";
  const tones = { same: style.dim, removed: style.red, added: style.green };
  const signs = { same: " ", removed: "-", added: "+" };
  return [
    `  ${(100 * similarity).toFixed(0)} %  submission ${submissionId}, ${oneLine(fileName)} by ${oneLine(account.name)}, ${when}`,
    ...(diff ?? []).flatMap((hunk) => [
      `    ${style.cyan(hunkHeader(hunk))}`,
      ...hunk.lines.map(
        ({ kind, text }) => `    ${tones[kind](fit(`${signs[kind]}${text.replaceAll("\t", "    ")}`, width - 4))}`,
      ),
    ]),
  ];
}
