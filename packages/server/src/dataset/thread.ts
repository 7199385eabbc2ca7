import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * Runs a worker thread to its end, or until the signal is aborted.
 * @returns its message; undefined if it ended without one.
 */
export async function runThread(url: URL, signal: AbortSignal | undefined, options: WorkerOptions): Promise<unknown> {
  const worker = new Worker(url, options);
  const terminate = (): void => void worker.terminate();
  signal?.addEventListener("abort", terminate);
  try {
    return await new Promise<unknown>((resolve, reject) =>
      worker
        .once("message", resolve)
        .once("error", reject)
        .once("exit", () => resolve(undefined)),
    );
  } finally {
    signal?.removeEventListener("abort", terminate);
  }
}
