import { languageFor, SINGLE_MODES, type Mode, type Problem } from "@kernelbot/core";
import { checkOut, defaultFolder, fromFolder, saveArtifacts } from "../submission/artifacts.ts";
import { defineCommand, JSON_OPTION } from "../command/command.ts";
import { exitOfRuns, UsageError } from "../command/exit.ts";
import { checkTarget, judgeLocally } from "../local-judge/local-judge.ts";
import type { LocalRun } from "../local-judge/local-run.ts";
import { printJson, textsOf } from "../submission/results.ts";
import { artifactLines } from "../render/artifacts.ts";
import { rehearsalLines } from "../render/rehearsal.ts";
import { runLines } from "../render/run.ts";
import { readSource } from "../submission/source-file.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize } from "../output/text.ts";

export const command = defineCommand({
  name: "eval",
  about: "Judges a kernel on this machine with the judge that the runners use; no server is asked.",
  positionals: ["FILE"],
  options: {
    problem: { type: "string", short: "p", value: "DIR", help: "The problem's directory (required)" },
    mode: { type: "string", short: "m", choices: SINGLE_MODES, default: "test", help: "How far to go" },
    target: { type: "string", short: "t", value: "NAME", default: "cpu", help: "Whose cases to take" },
    out: { type: "string", short: "o", value: "DIR", help: "Where a profile goes, if not into FILE.profile" },
    "unsafe-no-sandbox": { type: "boolean", help: "Run the kernel with all your rights; only for code that you trust" },
    ...JSON_OPTION,
  },
  notes: [
    "Exits as submit does: 0 passed, 1 did not pass, 3 this machine cannot judge (kernelbot doctor says why).",
    "For a target that is not here, the tests run on the processor as far as they can: 0 passed them, 3 none could run.",
  ],
  run: async ({ problem: directory, mode, target, out, "unsafe-no-sandbox": unsafeNoSandbox, json }, file) => {
    if (directory === undefined) throw new UsageError("say which problem: --problem DIR");
    checkOut(out, mode);
    const { source, fileName } = await readSource(file);
    const { clearStaleArtifactFolders, loadProblemDirectory, openArtifactFolder } = await import("@kernelbot/tester");
    const problem = await loadProblemDirectory(directory);
    checkTarget(problem, target);
    const language = languageFor(problem.spec, fileName, [target]);
    checkProfilable(problem, mode);
    await clearStaleArtifactFolders();
    await using folder = await openArtifactFolder();
    const job = { mode, target, problem, source, language, artifactFolder: folder.path };
    const run = await judgeLocally(job, { unsafeNoSandbox, json, rehearse: mode !== "profile" });
    const saved = out ?? defaultFolder(fileName);
    if (run.artifacts.length > 0) await saveArtifacts(saved, run.artifacts, fromFolder(folder.path));
    if (json) printJson(null, null, [run], true);
    else {
      const { style, width, print } = terminalOf(process.stdout);
      const title = `${style.bold(run.board)}, mode ${run.mode}, ${placeOf(run)}`;
      const page = { style, width, histograms: true };
      const texts = await textsOf(run, fromFolder(folder.path));
      const files = artifactLines(run.artifacts, texts, `saved in ${saved}`, page);
      const tried = run.rehearsal === null ? [] : rehearsalLines(sanitize(run.rehearsal), page);
      print([title, "", ...runLines(sanitize(run), null, page), ...tried, ...files]);
    }
    return exitOfRuns([run]);
  },
});

function placeOf({ rehearsal }: LocalRun): string {
  return rehearsal === null ? "judged on this machine" : `tried on this machine, which has no ${rehearsal.target}`;
}

/** Rejects mode `profile` for problems with their own harness, as the server does. */
function checkProfilable({ spec }: Problem, mode: Mode): void {
  if (mode !== "profile" || spec.harness !== "legacy") return;
  throw new UsageError(`${spec.name} is judged by a harness of its own, which cannot be profiled`);
}
