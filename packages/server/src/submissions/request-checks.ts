/** Checks of a submission request that need no database. */
import {
  checkFileName,
  KernelBotError,
  parseSource,
  type Mode,
  type ProblemSpec,
  type SubmitRequest,
} from "@kernelbot/core";

const MAX_KEY_LENGTH = 200;

/**
 * Returns the second file of a duel with its source as `parseSource` reads it.
 * @throws KernelBotError if a duel has no second file, another mode has one, or the file is invalid.
 */
export function parseRival({ mode, rival }: SubmitRequest): SubmitRequest["rival"] {
  if ((mode === "duel") !== (rival !== undefined)) {
    throw new KernelBotError(
      "unprocessable",
      mode === "duel" ? "rival: mode duel requires a second file" : `rival: mode ${mode} does not accept a second file`,
    );
  }
  if (rival === undefined) return undefined;
  checkFileName(rival.fileName);
  return { ...rival, source: parseSource(rival.source) };
}

/**
 * Rejects modes `profile` and `duel` for problems with their own harness, which times one submission and cannot profile
 * it, and mode `application` for problems without an application.
 */
export function checkProblemMode({ name, harness, application }: ProblemSpec, mode: Mode): void {
  if (mode === "application" && application === undefined) {
    throw new KernelBotError(
      "unprocessable",
      `${name} has no application, a program that uses the kernel; submit in mode test, benchmark or ranked`,
    );
  }
  if (harness !== "legacy" || (mode !== "profile" && mode !== "duel")) return;
  throw new KernelBotError(
    "unprocessable",
    `${name} brings its own harness, which does not support mode ${mode}; its modes are test, benchmark and ranked`,
  );
}

/**
 * Validates a client's idempotency key.
 * @throws KernelBotError `bad_request`.
 */
export function checkKey(key: string): void {
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > MAX_KEY_LENGTH) {
    throw new KernelBotError(
      "bad_request",
      `an idempotency key must have 1 to ${MAX_KEY_LENGTH} printable ASCII characters without spaces`,
    );
  }
}
