import {
  deviceOf,
  languageFor,
  machineName,
  MODES,
  problemVersion,
  type JudgeEvent,
  type Mode,
  type Problem,
} from "@kernelbot/core";
import { checkOut, defaultFolder, fromFolder, saveArtifacts } from "../artifacts.ts";
import { defineCommand, JSON_OPTION } from "../command.ts";
import { openDisplay } from "../display.ts";
import { exitOfRuns, UsageError } from "../exit.ts";
import { untilInterrupted } from "../interrupt.ts";
import { happeningOf, localRun, type LocalJob, type LocalRun } from "../local-run.ts";
import { printJson, textsOf } from "../outcome.ts";
import { advance, startLocalProgress } from "../progress.ts";
import { artifactLines } from "../render/artifacts.ts";
import { runLines } from "../render/run.ts";
import { readSource } from "../source.ts";
import { terminalOf } from "../terminal.ts";
import { cleaned, listed } from "../text.ts";

export const command = defineCommand({
  name: "eval",
  about: "Judges a kernel on this machine with the judge that the runners use; no server is asked.",
  positionals: ["FILE"],
  options: {
    problem: { type: "string", short: "p", value: "DIR", help: "The problem's directory (required)" },
    mode: { type: "string", short: "m", choices: MODES, default: "test", help: "How far to go" },
    target: { type: "string", short: "t", value: "NAME", default: "cpu", help: "Whose cases to take" },
    out: { type: "string", short: "o", value: "DIR", help: "Where a profile goes, if not into FILE.profile" },
    "unsafe-no-sandbox": { type: "boolean", help: "Run the kernel with all your rights; only for code that you trust" },
    ...JSON_OPTION,
  },
  notes: ["Exits as submit does: 0 passed, 1 did not pass, 3 this machine cannot judge (kernelbot doctor says why)."],
  run: async ({ problem: directory, mode, target, out, "unsafe-no-sandbox": unsafeNoSandbox, json }, file) => {
    if (directory === undefined) throw new UsageError("say which problem: --problem DIR");
    checkOut(out, mode);
    const { source, fileName } = await readSource(file);
    const { clearStaleArtifactFolders, loadProblemDirectory, openArtifactFolder, startTester } =
      await import("@kernelbot/tester");
    const problem = await loadProblemDirectory(directory);
    checkTarget(problem, target);
    const language = languageFor(problem.spec, fileName, [target]);
    checkProfilable(problem, mode);
    await clearStaleArtifactFolders();
    await using folder = await openArtifactFolder();
    const run = await untilInterrupted("Stopped; nothing of it runs any more.", async (signal) => {
      const tester = await startTester({ unsafeNoSandbox, accelerator: deviceOf(target) === "accelerator" });
      try {
        const job: LocalJob = {
          mode,
          target,
          problem,
          problemVersion: await problemVersion(problem),
          machine: tester.machine,
          startedAt: new Date().toISOString(),
        };
        const judge = (onEvent: (event: JudgeEvent) => void) =>
          tester.run(
            {
              type: "run",
              id: "local",
              mode,
              target,
              problem,
              source,
              language,
              account: "local",
              artifactFolder: folder.path,
            },
            onEvent,
            signal,
          );
        return await watched(job, judge, json);
      } finally {
        await tester.close();
      }
    });
    const saved = out ?? defaultFolder(fileName);
    if (run.artifacts.length > 0) await saveArtifacts(saved, run.artifacts, fromFolder(folder.path));
    if (json) printJson(null, null, [run], true);
    else {
      const { style, width, print } = terminalOf(process.stdout);
      const title = `${style.bold(run.board)}, mode ${run.mode}, judged on this machine`;
      const page = { style, width, histograms: true };
      const texts = await textsOf(run, fromFolder(folder.path));
      const files = artifactLines(run.artifacts, texts, `saved in ${saved}`, page);
      print([title, "", ...runLines(cleaned(run), null, page), ...files]);
    }
    return exitOfRuns([run]);
  },
});

function checkTarget({ spec }: Problem, target: string): void {
  if (Object.hasOwn(spec.targets, target)) return;
  throw new UsageError(
    `${spec.name} has no target ${JSON.stringify(target)}; it has ${listed(Object.keys(spec.targets))}`,
  );
}

/** As intake does. */
function checkProfilable({ spec }: Problem, mode: Mode): void {
  if (mode !== "profile" || spec.harness !== "legacy") return;
  throw new UsageError(`${spec.name} is judged by a harness of its own, which cannot be profiled`);
}

/** Judges with its progress shown. */
async function watched(
  job: LocalJob,
  judge: (onEvent: (event: JudgeEvent) => void) => Promise<unknown>,
  json: boolean,
): Promise<LocalRun> {
  const display = openDisplay(json);
  const { mode, target, problem, machine } = job;
  let progress = startLocalProgress(problem.spec.name, mode, target, machineName(machine), Date.now());
  const events: JudgeEvent[] = [];
  display.show(progress);
  try {
    await judge((judged) => {
      events.push(judged);
      const event = { runId: null, at: new Date().toISOString(), event: cleaned(happeningOf(judged)) };
      progress = advance(progress, event);
      display.show(progress, event);
    });
    display.end("ended");
  } catch (error) {
    display.end("stopped");
    throw error;
  }
  return localRun(job, events, new Date().toISOString());
}
