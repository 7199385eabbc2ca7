/** What a command says when it ends before what it watches. */
import { KernelBotError } from "@kernelbot/core";

/**
 * Does the work on something that continues on the server.
 * @param next What continues and the command that resumes, which the message of a failure ends with.
 */
export async function withResume<T>(next: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    const message = `${error.message.replace(/[.;\s]+$/, "")}. ${next}`;
    throw new KernelBotError(error.code, message, { cause: error });
  }
}
