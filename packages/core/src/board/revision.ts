/** Determines which versions of a problem a board may rank together. */
import { canonicalJson } from "../text/canonical-json.ts";
import { judgedFiles } from "../problem/changes.ts";
import { HIDDEN_CASES_FILE } from "../problem/hidden-cases.ts";
import { casesFor, weightsFor, type Problem } from "../vocabulary/specification.ts";

/**
 * Returns whether two versions of a problem are equal in everything that affects judging or timing on a target: its
 * cases, how outputs are checked, how times become a score, and the files of judge and worker. Texts, templates, time
 * limits and other targets may differ.
 */
export function isSameRevision(a: Problem, b: Problem, target: string): boolean {
  return judgedOn(a, target) === judgedOn(b, target);
}

function judgedOn(problem: Problem, target: string): string {
  const { spec } = problem;
  const { languages, outputs, tolerance, rankingBy, stop, regime, harness, main, build, submissionName } = spec;
  return canonicalJson({
    ...{ languages, outputs, rankingBy, stop, regime, harness, main, build, submissionName },
    worldSize: spec.targets[target]?.worldSize ?? spec.worldSize,
    tolerance: tolerance === null ? null : { rtol: tolerance.rtol, atol: tolerance.atol },
    cases: casesFor(spec, target),
    weights: weightsFor(spec, target),
    boundsNs: spec.targets[target]?.boundsNs,
    // The application runs after a ranked run, and does not affect it.
    files: { ...judgedFiles(problem), "application.py": undefined, [HIDDEN_CASES_FILE]: undefined },
    // Entries that were confirmed without it keep their status in their own revision.
    requiresApplication: spec.application?.gate === "required" ? true : undefined,
  });
}
