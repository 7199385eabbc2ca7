/** Checks for authors of problems: see docs/guides/write-a-problem.md. */
export { problemDirectories } from "./directories.ts";
export { openWorkshop, type CheckOptions, type Workshop } from "./workshop.ts";
export { attackOn, loadGeneralAttacks, type Attack } from "./general-attacks.ts";
export { checkProblems, openWorkshops } from "./many.ts";
