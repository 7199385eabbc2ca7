import { Interrupted } from "./exit.ts";

/** Signals that stop a command; without a handler, child processes would be left behind. */
const SIGNALS = ["SIGINT", "SIGHUP", "SIGTERM"] as const;

/**
 * Runs work that Ctrl-C aborts through the signal. A second Ctrl-C kills the process.
 * @param message message after Ctrl-C: what continues, and how to resume watching
 * @throws Interrupted after Ctrl-C
 */
export async function untilInterrupted<T>(message: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  for (const each of SIGNALS) process.once(each, interrupt);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw new Interrupted(message, { cause: error });
    throw error;
  } finally {
    for (const each of SIGNALS) process.off(each, interrupt);
  }
}
