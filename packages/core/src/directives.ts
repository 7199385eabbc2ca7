/**
 * Directives in the head of a submission say where it goes and who wrote it, so that a bare `submit FILE` suffices:
 *
 *     #!POPCORN leaderboard vectoradd      #!KERNELBOT board vectoradd
 *     #!POPCORN gpu H100                   #!KERNELBOT target cpu
 *                                          #!KERNELBOT author autonomous
 *                                          #!KERNELBOT model NAME
 */

import { KernelBotError, quote } from "./errors.ts";

/** What a file says of itself; absent keys are for the caller to ask for. */
export interface Directives {
  board?: string;
  targets?: string[];
  /** Who wrote it, as core's `Author` has it; whether the words fit is for the reader to check. */
  author?: string;
  model?: string;
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
};

/**
 * Reads the directives of a file that is submitted.
 * @throws KernelBotError `bad_request` for a line that begins as a directive and is not one, and for one that contradicts another.
 */
export function requireDirectives(source: string): Directives {
  const seen = new Map<keyof Directives, string>();
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    // Trimmed first, so that white space is read once: a line may be a whole hostile file.
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
    const before = seen.get(key);
    if (before !== undefined && before !== value) {
      throw faulty(`another line says ${quote(before)}; keep one of them`);
    }
    seen.set(key, value);
  }
  return readDirectives(source);
}

/** Reads the directives of a Python (`#!`) or C++ (`//!`) file; the last of a kind wins. Several targets stand apart by spaces or commas. */
export function readDirectives(source: string): Directives {
  const directives: Directives = {};
  for (const line of source.split(/\r?\n/)) {
    // Trimmed first, so that white space is read once: a line may be a whole hostile file.
    const match = /^(?:#|\/\/)!\s*(?:POPCORN|KERNELBOT)\s+(\w+)\s+(\S.*)$/i.exec(line.trim());
    if (match === null) continue;
    const [, word = "", value = ""] = match;
    const key = KEY_OF_WORD[word.toLowerCase()];
    if (key === "board" || key === "author" || key === "model") directives[key] = value;
    if (key === "targets") directives.targets = value.split(/[\s,;]+/).filter((target) => target !== "");
  }
  return directives;
}
