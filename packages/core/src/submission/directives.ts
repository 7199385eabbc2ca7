/**
 * Directives: comment lines in a submission that name its board, targets and author, so that `submit FILE` needs no
 * options:
 *
 *     #!POPCORN leaderboard vectoradd      #!KERNELBOT board vectoradd
 *     #!POPCORN gpu H100                   #!KERNELBOT target cpu
 *                                          #!KERNELBOT author autonomous
 *                                          #!KERNELBOT model NAME
 *
 * `#!KERNELBOT solution {...}` has the fields of a FlashInfer Trace solution as JSON.
 */

import { KernelBotError, quote } from "../errors.ts";

/** Directives found in a file; the caller must ask for absent keys. */
export interface Directives {
  board?: string;
  targets?: string[];
  /** Kind of author as in `Author`, not validated. */
  author?: string;
  model?: string;
  /** JSON, not validated. */
  solution?: string;
}

const KEY_OF_WORD: Record<string, keyof Directives> = {
  leaderboard: "board",
  board: "board",
  gpu: "targets",
  gpus: "targets",
  target: "targets",
  targets: "targets",
  author: "author",
  model: "model",
  solution: "solution",
};

/**
 * Reads and validates the directives of a submission.
 * @throws KernelBotError `bad_request` for a malformed directive, and for directives that contradict each other.
 */
export function requireDirectives(source: string): Directives {
  const valueByKey = new Map<keyof Directives, string>();
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    // Trimmed first to avoid quadratic backtracking: a line may be as long as a hostile file.
    const head = /^((?:#|\/\/)!\s*(?:POPCORN|KERNELBOT))(.*)$/i.exec(line.trim());
    if (head === null) continue;
    const [, prefix = "", rest = ""] = head;
    const [word = "", ...values] = rest.trim().split(/\s+/);
    const key = Object.hasOwn(KEY_OF_WORD, word.toLowerCase()) ? KEY_OF_WORD[word.toLowerCase()] : undefined;
    const faulty = (why: string) =>
      new KernelBotError("bad_request", `line ${index + 1}, ${quote(line.trim().slice(0, 100))}: ${why}`);
    if (!/^\s/.test(rest) || key === undefined) {
      throw faulty(
        `this is not a directive; write ${prefix} and one of ${Object.keys(KEY_OF_WORD).join(", ")}, with its value`,
      );
    }
    if (values.length === 0) throw faulty(`the value of ${quote(word)} is missing`);
    const value = values.join(" ");
    const before = valueByKey.get(key);
    if (before !== undefined && before !== value) {
      throw faulty(`another line has the value ${quote(before)}; keep one of them`);
    }
    valueByKey.set(key, value);
  }
  return readDirectives(source);
}

/**
 * Reads the directives of a Python (`#!`) or C++ (`//!`) file; malformed lines are ignored, and the last directive of a
 * kind applies. Several targets are separated by spaces, commas or semicolons.
 */
export function readDirectives(source: string): Directives {
  const directives: Directives = {};
  for (const line of source.split(/\r?\n/)) {
    // Trimmed first to avoid quadratic backtracking: a line may be as long as a hostile file.
    const match = /^(?:#|\/\/)!\s*(?:POPCORN|KERNELBOT)\s+(\w+)\s+(\S.*)$/i.exec(line.trim());
    if (match === null) continue;
    const [, word = "", value = ""] = match;
    const key = KEY_OF_WORD[word.toLowerCase()];
    if (key === "targets") directives.targets = value.split(/[\s,;]+/).filter((target) => target !== "");
    else if (key !== undefined) directives[key] = value;
  }
  return directives;
}
