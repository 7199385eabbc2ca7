import { KernelBotError, quote } from "../errors.ts";

/** Creates the error for an invalid problem. */
export function invalidProblem(name: string, what: string, cause?: unknown): KernelBotError {
  return new KernelBotError("unprocessable", `problem ${quote(name)}: ${what}`, { cause });
}
