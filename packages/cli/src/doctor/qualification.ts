/** Runs `kernelbot_tester.qualify` as a child process; its progress goes to standard error. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { KernelBotError, Qualification } from "@kernelbot/core";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import { findPython, TESTER_DIRECTORY } from "@kernelbot/tester";
import { UsageError } from "../command/exit.ts";

/**
 * Returns the result of the machine's qualification.
 * @param args options of `kernelbot_tester.qualify`
 * @throws KernelBotError `unavailable` when no suitable Python exists, or the process ends without a document
 * @throws UsageError when the options are invalid
 * @throws the signal's reason when it is aborted; the process has ended by then
 */
export async function qualifyMachine(args: readonly string[], signal: AbortSignal): Promise<Qualification> {
  const { path: python } = await findPython();
  signal.throwIfAborted();
  const child = spawn(python, ["-m", "kernelbot_tester.qualify", "--json", ...args], {
    cwd: TESTER_DIRECTORY,
    env: childEnvironment(process.env, "python"),
    stdio: ["ignore", "pipe", "inherit"],
    // A process group of its own, so that a terminal's Ctrl-C reaches it only through the signal.
    detached: true,
  });
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  process.once("exit", stop);
  try {
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    const [out, code] = await Promise.all([text(child.stdout), ended]);
    signal.throwIfAborted();
    if (code === 2) throw new UsageError("invalid options for --qualify; see the message above");
    if (out === "") throw new KernelBotError("unavailable", `the machine was not qualified (exit code ${code})`);
    return Qualification.parse(JSON.parse(out));
  } finally {
    signal.removeEventListener("abort", stop);
    process.off("exit", stop);
  }
}
