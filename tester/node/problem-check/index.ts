/** Checks for authors of problems: see docs/guides/check-a-problem.md. */
export { problemDirectories } from "./directories.ts";
export { DEFAULT_TARGET, openProblemChecker, type CheckOptions, type ProblemChecker } from "./checker.ts";
export { attackOn, loadGeneralAttacks, type Attack } from "./general-attacks.ts";
export { checkProblems } from "./checkers.ts";
export { specFindings } from "./spec-checks.ts";
