/**
 * Paths of a problem's files in the folder: all below `problem/`, so none can replace a file that the CLI generates.
 */
import { directoryFiles, type Problem } from "@kernelbot/core";

interface Layout {
  /** Directory of the problem, for `kernelbot eval`. */
  directory: string;
  /** Contents by path in the folder. The paths come from the server and must be checked before they are written. */
  files: Map<string, string>;
}

/** Problems with their own harness share files that are one or two directories up: `../eval.py`. */
const MOST_UP = 2;

export function layoutOf(problem: Problem): Layout {
  const most = problem.spec.harness === "legacy" ? MOST_UP : 0;
  const files = [...directoryFiles(problem)].map(([path, text]) => ({ ...climb(path, most), text }));
  const deep = files.some(({ up }) => up > 1);
  const directory = ["problem", ...(deep ? ["set"] : []), problem.spec.name];
  return {
    directory: directory.join("/"),
    files: new Map(
      files.map(({ up, rest, text }) => [[...directory.slice(0, directory.length - up), rest].join("/"), text]),
    ),
  };
}

/** Splits leading `..` from a path: `../../a/b` is `a/b`, two up. */
function climb(path: string, most: number): { up: number; rest: string } {
  const parts = path.split("/");
  const first = parts.findIndex((part) => part !== "..");
  const up = Math.min(first < 0 ? parts.length : first, most);
  return { up, rest: parts.slice(up).join("/") };
}
