/** `kernelbot_tester.qualify` in a process of its own: its progress goes to the standard error, its document is read. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { childEnvironment, KernelBotError, Qualification } from "@kernelbot/core";
import { findPython, TESTER_DIRECTORY } from "@kernelbot/tester";
import { UsageError } from "./exit.ts";

/**
 * What the machine's checks say.
 * @param args options of `kernelbot_tester.qualify`
 * @throws KernelBotError `unavailable` where there is no Python for it, or it ends without a document
 * @throws UsageError where it does not take the options
 * @throws the signal's reason when it is aborted; nothing of it runs any more then
 */
export async function qualifyMachine(args: readonly string[], signal: AbortSignal): Promise<Qualification> {
  const { path: python } = await findPython();
  signal.throwIfAborted();
  const child = spawn(python, ["-m", "kernelbot_tester.qualify", "--json", ...args], {
    cwd: TESTER_DIRECTORY,
    env: childEnvironment(process.env, "python"),
    stdio: ["ignore", "pipe", "inherit"],
    // In a group of its own: a terminal's Ctrl-C reaches it only through us.
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
    if (code === 2) throw new UsageError("these options are none of the checks', as they say above");
    if (out === "") throw new KernelBotError("unavailable", `the machine was not qualified (exit code ${code})`);
    return Qualification.parse(JSON.parse(out));
  } finally {
    signal.removeEventListener("abort", stop);
    process.off("exit", stop);
  }
}
