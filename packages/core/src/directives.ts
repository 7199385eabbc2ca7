/**
 * Directives in the head of a submission say where it goes, so that a bare `submit FILE` suffices:
 *
 *     #!POPCORN leaderboard vectoradd      #!KERNELBOT board vectoradd
 *     #!POPCORN gpu H100                   #!KERNELBOT target cpu
 */

/** Where a file says that it goes; absent keys are for the caller to ask for. */
export interface Directives {
  board?: string;
  targets?: string[];
}

const KEY_OF_WORD: Record<string, keyof Directives> = {
  leaderboard: "board",
  board: "board",
  gpu: "targets",
  gpus: "targets",
  target: "targets",
  targets: "targets",
};

/** Reads the directives of a Python (`#!`) or C++ (`//!`) file; the last of a kind wins. Several targets stand apart by spaces or commas. */
export function readDirectives(source: string): Directives {
  const directives: Directives = {};
  for (const line of source.split(/\r?\n/)) {
    const match = /^\s*(?:#|\/\/)!\s*(?:POPCORN|KERNELBOT)\s+(\w+)\s+(\S.*?)\s*$/i.exec(line);
    if (match === null) continue;
    const [, word = "", value = ""] = match;
    const key = KEY_OF_WORD[word.toLowerCase()];
    if (key === "board") directives.board = value;
    if (key === "targets") directives.targets = value.split(/[\s,;]+/).filter((target) => target !== "");
  }
  return directives;
}
