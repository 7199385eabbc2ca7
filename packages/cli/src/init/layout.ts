/** Where the files of a problem lie in the folder: all below `problem/`, so that none can pass for one of ours. */
import { directoryFiles, type Problem } from "@kernelbot/core";

export interface Layout {
  /** The problem's directory, for `kernelbot eval`. */
  directory: string;
  /** By paths in the folder. They are as the server gave them, and have to be looked at before they are written. */
  files: Map<string, string>;
}

/** Problems with a harness of their own share files, one or two directories up: `../eval.py`. */
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

/** `../../a/b` is `a/b`, two up. */
function climb(path: string, most: number): { up: number; rest: string } {
  const parts = path.split("/");
  const first = parts.findIndex((part) => part !== "..");
  const up = Math.min(first < 0 ? parts.length : first, most);
  return { up, rest: parts.slice(up).join("/") };
}
