/** Exit codes. `docs/reference/cli-output.md` documents them for users. */
import type { DuelSummary, RunState, Verdict } from "@kernelbot/core";

export const EXIT = {
  passed: 0,
  /** The kernel did not pass: it failed, is quarantined, or was cancelled. */
  failed: 1,
  /** The command line, the file or the request is invalid; repeating it does not help. */
  usage: 2,
  /** The platform failed; the kernel may be correct. */
  platform: 3,
  /** Ctrl-C, following shell convention: 128 + SIGINT. */
  interrupted: 130,
} as const;

/** Exit codes with their meanings, for help texts. */
export const EXIT_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.passed, "success: the kernel passed, or the command is done"],
  [EXIT.failed, "the kernel failed, is quarantined or was cancelled; or the receipt is not valid"],
  [EXIT.usage, "invalid command line, file or request"],
  [EXIT.platform, "platform failure: no response, no runner, no sandbox, or an infrastructure error"],
  [EXIT.interrupted, "interrupted by Ctrl-C"],
];

/** Mistake in the call that the user can fix. The message is a complete sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Ends the message of a usage error: with a suggestion such as `; did you mean watch?`, and the help to read. */
export function seeHelp(command: string, suggestion = ""): string {
  return `${suggestion === "" ? "; see" : `${suggestion} See`} ${["kernelbot", command, "--help"].filter(Boolean).join(" ")}`;
}

/** The user interrupted the command. The message names what continues without it. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Returns the exit code of ended runs. Failures of the kernel take precedence over failures of the platform. */
export function exitOfRuns(
  runs: readonly { state: RunState; verdict: Verdict | null; duel?: DuelSummary | null }[],
): number {
  const is = (verdict: Verdict) => runs.some((run) => run.verdict === verdict);
  if (is("failed") || is("quarantined") || runs.some((run) => run.state === "cancelled")) return EXIT.failed;
  if (runs.some((run) => (run.duel?.failures.b ?? null) !== null)) return EXIT.failed;
  if (is("infra_error") || runs.some((run) => run.state !== "done")) return EXIT.platform;
  return EXIT.passed;
}

/** Returns the exit code, a stable error code and the message of a thrown value. */
export function failureOf(error: unknown): { exit: number; code: string; message: string } {
  if (!(error instanceof Error)) return { exit: EXIT.platform, code: "internal", message: String(error) };
  if (error instanceof UsageError) return { exit: EXIT.usage, code: "usage", message: error.message };
  if (error instanceof Interrupted) return { exit: EXIT.interrupted, code: "interrupted", message: error.message };
  if ("status" in error && typeof error.status === "number" && "code" in error && typeof error.code === "string") {
    const hint = error.code === "unauthorized" ? " Sign in with kernelbot login, or set KERNELBOT_TOKEN" : "";
    const message = hint === "" ? error.message : `${error.message.replace(/\.$/, "")}.${hint}`;
    return { exit: error.status < 500 ? EXIT.usage : EXIT.platform, code: error.code, message };
  }
  return { exit: EXIT.platform, code: "internal", message: error.message };
}
