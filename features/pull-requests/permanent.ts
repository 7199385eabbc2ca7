import { KernelBotError } from "@kernelbot/core";
import { GitHubError } from "@kernelbot/server/src/integrations/github/client.ts";

/**
 * 401: GitHub rejects the App's key, so the failure cannot be reported on the pull request either. 408: the request
 * timed out.
 */
const RETRIED_STATUSES = [401, 408];
const RETRIED_CODES = ["unavailable", "too_many_requests", "internal"];

/** Returns whether a step that failed with this error would fail again. False for unknown errors. */
export function isPermanent(error: unknown): error is GitHubError | KernelBotError {
  if (error instanceof GitHubError) return error.isRefusal && !RETRIED_STATUSES.includes(error.status);
  return error instanceof KernelBotError && !RETRIED_CODES.includes(error.code);
}

/** Returns the result of a step, or null when it failed permanently, which is logged. @throws other errors. */
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
