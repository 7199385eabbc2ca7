/** How the process ends. `docs/cli.md` tells the same to users. */
import type { DuelSummary, RunState, Verdict } from "@kernelbot/core";

export const EXIT = {
  passed: 0,
  /** The kernel did not pass: it failed, waits for a moderator, or was cancelled. */
  failed: 1,
  /** The command, the file or the request was not acceptable; doing the same again will not help. */
  usage: 2,
  /** The platform could not do its part; the kernel may be right. */
  platform: 3,
  /** Ctrl-C, as shells have it: 128 + SIGINT. */
  interrupted: 130,
} as const;

/** A mistake in the call that the user can mend; the message is the whole sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The user stopped us; the message says what goes on without us. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** The exit code of ended runs: what the kernel did comes before what the platform failed to do. */
export function exitOfRuns(
  runs: readonly { state: RunState; verdict: Verdict | null; duel?: DuelSummary | null }[],
): number {
  const is = (verdict: Verdict) => runs.some((run) => run.verdict === verdict);
  if (is("failed") || is("quarantined") || runs.some((run) => run.state === "cancelled")) return EXIT.failed;
  if (runs.some((run) => (run.duel?.failures.b ?? null) !== null)) return EXIT.failed;
  if (is("infra_error") || runs.some((run) => run.state !== "done")) return EXIT.platform;
  return EXIT.passed;
}

/** The exit code, a stable code and the sentence of whatever was thrown. */
export function failureOf(error: unknown): { exit: number; code: string; message: string } {
  if (!(error instanceof Error)) return { exit: EXIT.platform, code: "internal", message: String(error) };
  if (error instanceof UsageError) return { exit: EXIT.usage, code: "usage", message: error.message };
  if (error instanceof Interrupted) return { exit: EXIT.interrupted, code: "interrupted", message: error.message };
  if ("status" in error && typeof error.status === "number" && "code" in error && typeof error.code === "string") {
    const hint = error.code === "unauthorized" ? " Log in with kernelbot login, or set KERNELBOT_TOKEN" : "";
    const message = hint === "" ? error.message : `${error.message.replace(/\.$/, "")}.${hint}`;
    return { exit: error.status < 500 ? EXIT.usage : EXIT.platform, code: error.code, message };
  }
  return { exit: EXIT.platform, code: "internal", message: error.message };
}
