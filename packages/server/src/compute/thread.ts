/** Worker thread of the pool: runs the tasks it receives. */
import { parentPort } from "node:worker_threads";
import { KernelBotError } from "@kernelbot/core";
import { TASKS, type Task } from "./tasks.ts";
import { ownThreadId } from "./thread-time.ts";

parentPort?.on("message", ({ name, input }: Task) => {
  void run(name, input).then((reply) => parentPort?.postMessage(reply));
});

parentPort?.postMessage({ threadId: ownThreadId() });

async function run(name: Task["name"], input: unknown): Promise<object> {
  try {
    return { output: await (TASKS[name] as (input: unknown) => unknown)(input) };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const code = error instanceof KernelBotError ? error.code : null;
    return { error: { message: error.message, code, stack: error.stack ?? "" } };
  }
}
