/**
 * Node side of the tester: finds a Python interpreter, loads problem directories, runs the judge.
 *
 *     const tester = await startTester();
 *     const problem = await loadProblemDirectory("problems/pmpp/vectoradd");
 *     const job = { type: "run", id: "1", mode: "test", target: "cpu", problem, source } as const;
 *     const { verdict } = await tester.run(job, (event) => console.log(event));
 *     await tester.close();
 */
export { clearStaleArtifactFolders, openArtifactFolder, type ArtifactFolder } from "./artifact-folder.ts";
export { checkNode, judgeChecks } from "./doctor/checks.ts";
export { readDefinitionFacts } from "./definition-facts.ts";
export { readInputValues } from "./input-values.ts";
export { loadProblemData } from "./problem-data.ts";
export { loadProblemDirectory } from "./problem-directory.ts";
export { findPython, TESTER_DIRECTORY, type Python } from "./python.ts";
export { TesterFailure } from "./process.ts";
export { startTester, type Tester, type TesterOptions } from "./tester.ts";
export {
  attackOn,
  checkProblems,
  DEFAULT_TARGET,
  loadGeneralAttacks,
  openProblemChecker,
  problemDirectories,
  specFindings,
  type Attack,
  type ProblemChecker,
} from "./problem-check/index.ts";
