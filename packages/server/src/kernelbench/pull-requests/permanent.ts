import { KernelBotError } from "@kernelbot/core";
import { GitHubError } from "../../github/client.ts";

/** 401: GitHub does not accept the App's key, so nothing can be said there either. 408: the request took too long. */
const RETRIED_STATUSES = [401, 408];
const RETRIED_CODES = ["unavailable", "too_many_requests", "internal"];

/** Whether a step that failed with this error would fail again. False for errors that are not known. */
export function isPermanent(error: unknown): error is GitHubError | KernelBotError {
  if (error instanceof GitHubError) return error.isRefusal && !RETRIED_STATUSES.includes(error.status);
  return error instanceof KernelBotError && !RETRIED_CODES.includes(error.code);
}

/** The result of a step, or null where it failed permanently, which is logged. @throws other errors. */
export async function unlessPermanent<T>(
  step: Promise<T>,
  log: (message: string) => void,
  what: string,
): Promise<T | null> {
  try {
    return await step;
  } catch (error) {
    if (!isPermanent(error)) throw error;
    log(`${what}: ${error.message}`);
    return null;
  }
}
