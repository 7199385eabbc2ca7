/** Selection of problems: `--levels 1,2` and `--problems 1/3,1/19`. */
import { LEVELS, type Level, type SuiteKey } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

export interface Selection {
  levels: string | undefined;
  problems: string | undefined;
}

/**
 * Returns the selected problems; all without a selection.
 * @throws UsageError when a selected level or problem does not exist.
 */
export function selected<Problem extends SuiteKey>(problems: readonly Problem[], selection: Selection): Problem[] {
  const levels = selection.levels?.split(",").map(levelOf);
  const keys = selection.problems?.split(",").map(keyOf);
  for (const { level, problem } of keys ?? []) {
    if (problems.some((each) => each.level === level && each.problem === problem)) continue;
    throw new UsageError(`problem ${level}/${problem} does not exist: level ${level} has ${count(problems, level)}`);
  }
  const chosen = problems.filter(
    (each) =>
      (levels === undefined || levels.includes(each.level)) &&
      (keys === undefined || keys.some(({ level, problem }) => level === each.level && problem === each.problem)),
  );
  if (chosen.length === 0) throw new UsageError("--levels and --problems have no problem in common");
  return chosen;
}

function count(problems: readonly SuiteKey[], level: Level): string {
  const numbers = problems.filter((each) => each.level === level).map((each) => each.problem);
  return numbers.length === 0 ? "none" : `${numbers.length}, from ${Math.min(...numbers)} to ${Math.max(...numbers)}`;
}

function levelOf(text: string): Level {
  const level = LEVELS.find((each) => String(each) === text.trim());
  if (level !== undefined) return level;
  throw new UsageError(`--levels must be levels separated by commas, such as 1,2, not ${JSON.stringify(text)}`);
}

function keyOf(text: string): SuiteKey {
  const [, level, problem] = /^([123])\/([1-9]\d{0,2})$/.exec(text.trim()) ?? [];
  if (level !== undefined && problem !== undefined) return { level: levelOf(level), problem: Number(problem) };
  throw new UsageError(
    `--problems must be LEVEL/PROBLEM separated by commas, such as 1/3,1/19, not ${JSON.stringify(text)}`,
  );
}
