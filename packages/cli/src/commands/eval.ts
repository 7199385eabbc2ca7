import { languageFor, SINGLE_MODES, type Problem, type RunMode } from "@kernelbot/core";
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
  positionals: ["FILE"],
  options: {
    problem: { type: "string", short: "p", value: "DIR", help: "Folder of the problem (required)" },
    mode: { type: "string", short: "m", choices: SINGLE_MODES, default: "test", help: "What to run" },
    target: {
      type: "string",
      short: "t",
      value: "NAME",
      help: "Target whose cases are run (default: cpu); also the target of a problem for which no file names one",
    },
    out: {
      type: "string",
      short: "o",
      value: "DIR",
      help: "Folder for the files of a profile (default: FILE.profile)",
    },
    "unsafe-no-sandbox": {
      type: "boolean",
      help: "Run the kernel with all your permissions; only for code that you trust",
    },
    ...JSON_OPTION,
  },
  notes: [
    "Uses the judge that the runners use. Exits with 0 if the kernel passed, 1 if not, and 3 if this machine cannot judge " +
      "(kernelbot doctor shows why).",
    "If this machine lacks the target's device, it tries on the CPU whether the kernel can be imported and launched: exits " +
      "with 0 if the results are correct and 3 if it could not run.",
  ],
  run: async (
    { problem: directory, mode, target: requested, out, "unsafe-no-sandbox": unsafeNoSandbox, json },
    file,
  ) => {
    if (directory === undefined) throw new UsageError("--problem DIR is required");
    checkOut(out, mode);
    const { source, fileName } = await readSource(file);
    const { clearStaleArtifactFolders, DEFAULT_TARGET, loadProblemDirectory, openArtifactFolder } =
      await import("@kernelbot/tester");
    const problem = await loadProblemDirectory(directory, { target: requested });
    const target = requested ?? DEFAULT_TARGET;
    checkTarget(problem, target);
    const language = languageFor(problem.spec, fileName, [target]);
    checkMode(problem, mode);
    await clearStaleArtifactFolders();
    await using folder = await openArtifactFolder();
    const job = { mode, target, problem, source, language, artifactFolder: folder.path };
    const run = await judgeLocally(job, {
      unsafeNoSandbox,
      json,
      rehearse: mode !== "profile" && mode !== "application",
    });
    const saved = out ?? defaultFolder(fileName);
    if (run.artifacts.length > 0) await saveArtifacts(saved, run.artifacts, fromFolder(folder.path));
    if (json) printJson(null, null, [run], true);
    else {
      const { style, width, print } = terminalOf(process.stdout);
      const title = `${style.bold(run.board)}, mode ${run.mode}, ${originOf(run)}`;
      const page = { style, width, histograms: true };
      const texts = await textsOf(run, fromFolder(folder.path));
      const files = artifactLines(run.artifacts, texts, `saved in ${saved}`, page);
      const rehearsed = run.rehearsal === null ? [] : rehearsalLines(sanitize(run.rehearsal), page);
      print([title, "", ...runLines(sanitize(run), null, page), ...rehearsed, ...files]);
    }
    return exitOfRuns([run]);
  },
});

function originOf({ rehearsal }: LocalRun): string {
  return rehearsal === null
    ? "judged on this machine"
    : `rehearsed on the CPU: this machine has no ${rehearsal.target}`;
}

/** Rejects mode `profile` for problems with their own harness, as the server does, and `application` without one. */
function checkMode({ spec }: Problem, mode: RunMode): void {
  if (mode === "profile" && spec.harness === "legacy")
    throw new UsageError(`${spec.name} has its own harness, which cannot be profiled`);
  if (mode === "application" && spec.application === undefined)
    throw new UsageError(`${spec.name} has no application: its task.yml has no key "application"`);
}
