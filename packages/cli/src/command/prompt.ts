/** Prompts in a terminal. */
import { Interrupted } from "./exit.ts";

export function canPrompt(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Returns the answer of a prompt. @throws Interrupted when the prompt was cancelled with Ctrl-C, which is a symbol.
 * @param cancelled What to print then.
 */
export function promptAnswer<T>(value: T, cancelled: string): Exclude<T, symbol> {
  if (typeof value === "symbol") throw new Interrupted(cancelled);
  return value as Exclude<T, symbol>;
}
