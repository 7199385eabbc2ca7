/** Formats a problem as a Markdown page: its description, then what the judge checks. */
import { caseLine } from "../vocabulary/case-line.ts";
import { formatRankingRule } from "./ranking.ts";
import {
  casesFor,
  hasWeights,
  REGIMES,
  weightsFor,
  type Problem,
  type ProblemSpec,
} from "../vocabulary/specification.ts";
import { sortedTargets } from "./target-order.ts";

/** Formats the time limits of the stages, in seconds: `prepare 120, test 60, ...`. */
export function formatTimeouts({ timeoutsS, application }: ProblemSpec): string {
  const limits = { ...timeoutsS, ...(application && { application: application.timeoutS }) };
  return Object.entries(limits)
    .map(([stage, seconds]) => `${stage} ${seconds}`)
    .join(", ");
}

export function statementOf({ spec, files }: Problem): string {
  const { name, tolerance, harness } = spec;
  if (harness === "imported") {
    const past =
      "Its results were imported and were judged by the original harness; the problem accepts no submissions.";
    return [`# ${name}`, spec.description.trim(), past, ""].join("\n\n");
  }
  return [
    `# ${name}`,
    spec.description.trim(),
    "## How it is judged",
    [
      `- Targets: ${sortedTargets(spec).join(", ")}. Languages: ${Object.keys(spec.languages).join(", ")}.`,
      tolerance === null
        ? "- Correctness: checked by the problem's own checker."
        : `- Correctness: \`abs(got - expected) <= ${tolerance.atol} + ${tolerance.rtol} * abs(expected)\`. ${tolerance.reason.trim()}`,
      ...(harness === "judge" ? [buffersLine(spec.outputs)] : []),
      `- Score: ${formatRankingRule(spec.rankingBy, hasWeights(spec))}.`,
      ...(harness === "judge" ? [`- Calls are timed ${REGIMES[spec.regime]}.`] : []),
      `- Limits in seconds: ${formatTimeouts(spec)}.`,
      ...(harness === "legacy" ? ["- Checked and timed by the problem's own harness."] : []),
    ].join("\n"),
    ...sortedTargets(spec).flatMap((target) => casesOf({ spec, files }, target)),
    "",
  ].join("\n\n");
}

function buffersLine(outputs: number): string {
  return outputs === 1
    ? "- The last tensor of the input is the buffer to write the result into."
    : `- The last ${outputs} tensors of the input are the buffers to write the results into.`;
}

/** Returns the cases of a target. Cases of the problem appear under the first target that has no cases of its own. */
function casesOf({ spec }: Problem, target: string): string[] {
  const own = spec.targets[target];
  const sharing = sortedTargets(spec).filter((each) => {
    const other = spec.targets[each];
    return other?.tests === undefined && other?.benchmarks === undefined;
  });
  const shared = own?.tests === undefined && own?.benchmarks === undefined;
  if (shared && sharing[0] !== target) return [];
  const { tests, benchmarks } = casesFor(spec, target);
  const weights = weightsFor(spec, target);
  const weightOf = (at: number) => (weights === undefined ? "" : `; weight ${weights[at]}`);
  return [
    `## Cases on ${shared ? sharing.join(", ") : target}`,
    ["Checked:", "", ...tests.map((each) => `- ${caseLine(each)}`)].join("\n"),
    ["Timed, on different seeds:", "", ...benchmarks.map((each, at) => `- ${caseLine(each)}${weightOf(at)}`)].join(
      "\n",
    ),
  ];
}
