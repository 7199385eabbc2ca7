import { Interrupted } from "./exit.ts";

/**
 * Does work that Ctrl-C ends: the signal is aborted, and the second Ctrl-C kills as ever.
 * @param message what to say after Ctrl-C: what goes on, and how to go on with it
 * @throws Interrupted after Ctrl-C
 */
export async function untilInterrupted<T>(message: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  process.once("SIGINT", interrupt);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw new Interrupted(message, { cause: error });
    throw error;
  } finally {
    process.off("SIGINT", interrupt);
  }
}
