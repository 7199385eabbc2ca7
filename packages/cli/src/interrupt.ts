import { Interrupted } from "./exit.ts";

/** Ctrl-C, a closed terminal, and what else stops a command: each would leave behind what it started. */
const SIGNALS = ["SIGINT", "SIGHUP", "SIGTERM"] as const;

/**
 * Does work that Ctrl-C ends: the signal is aborted, and the second Ctrl-C kills as ever.
 * @param message what to say after Ctrl-C: what goes on, and how to go on with it
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
