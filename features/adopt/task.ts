/** The problem of a leaderboard, whose files and cases are in the column `task`. */
import { z } from "zod";
import {
  importedProblem,
  KernelBotError,
  MAX_PROBLEM_FILE_BYTES,
  readProblem,
  type DirectoryFile,
  type Problem,
} from "@kernelbot/core";
import { storableText } from "@kernelbot/server/src/db/json.ts";
import type { SourceLeaderboard } from "./source-rows.ts";

const SUBMISSION = "@SUBMISSION@";

/** Keys of `task` that `task.yml` calls the same. They are checked as those of a problem directory are. */
const Task = z.object({
  lang: z.string(),
  files: z.record(z.string(), z.string().max(MAX_PROBLEM_FILE_BYTES)),
  config: z.record(z.string(), z.unknown()),
  tests: z.array(z.unknown()),
  benchmarks: z.array(z.unknown()),
  test_timeout: z.number().optional(),
  benchmark_timeout: z.number().optional(),
  ranked_timeout: z.number().optional(),
  ranking_by: z.string().optional(),
  multi_gpu: z.boolean().optional(),
});

/** Problem of a leaderboard. */
interface LeaderboardProblem {
  problem: Problem;
  /** Why new submissions cannot be judged; null if they can. */
  fault: string | null;
}

/**
 * Returns the problem of a leaderboard, which its own harness judges. If the task is not usable, returns a problem with
 * results only, and the reason.
 * @param targets Boards: the leaderboard's GPUs with valid names.
 */
export async function problemOf(
  name: string,
  leaderboard: SourceLeaderboard,
  targets: readonly string[],
): Promise<LeaderboardProblem> {
  const description = storableText(leaderboard.description ?? "").slice(0, 100_000);
  const placeholder = (fault: string): LeaderboardProblem => ({
    problem: importedProblem({ number: leaderboard.id, name, description, reference: null, targets: [...targets] }),
    fault,
  });
  if (targets.length === 0) return placeholder("it has no GPUs");
  const task = Task.safeParse(leaderboard.task);
  if (!task.success) {
    const [issue] = task.error.issues;
    return placeholder(`task.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
  }
  try {
    return { problem: await readTask(name, task.data, { description, targets, leaderboard }), fault: null };
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    return placeholder(error.message);
  }
}

/** Reads the problem as if its directory contained the files of the task. */
function readTask(
  name: string,
  { files, ...task }: z.infer<typeof Task>,
  {
    description,
    targets,
    leaderboard,
  }: { description: string; targets: readonly string[]; leaderboard: SourceLeaderboard },
): Promise<Problem> {
  const templates = Object.entries(leaderboard.templates).map(
    ([language, code], at) => [language, `template-${at}`, code] as const,
  );
  const taskFile = {
    ...task,
    description: description === "" ? name : description,
    gpus: targets,
    files: Object.entries(files).map(([file, text]) => ({ name: file, source: text === SUBMISSION ? text : file })),
    templates: Object.fromEntries(templates.map(([language, path]) => [language, path])),
  };
  const texts = new Map<string, string>([
    ...Object.entries(files),
    ...templates.map(([, path, code]) => [path, code] as const),
    // JSON is YAML.
    ["task.yml", JSON.stringify(taskFile)],
  ]);
  const fileOf = (path: string): DirectoryFile | null => {
    const text = texts.get(path);
    if (text === undefined) return null;
    const bytes = new TextEncoder().encode(text);
    return { name: path, sizeBytes: bytes.length, read: () => Promise.resolve(bytes) };
  };
  return readProblem(name, [fileOf("task.yml") as DirectoryFile], (path) => Promise.resolve(fileOf(path)));
}
