import { KernelBotError, quote } from "./errors.ts";

/** A problem that cannot be taken, and why. */
export function brokenProblem(name: string, what: string, cause?: unknown): KernelBotError {
  return new KernelBotError("unprocessable", `problem ${quote(name)}: ${what}`, { cause });
}
