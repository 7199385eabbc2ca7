/** Conversion of an SDK's errors to EndpointError. */
import { parseRetryAfter } from "@kernelbot/core";
import { EndpointError, endpointMessage, type Access } from "../endpoint.ts";

/** Properties shared by the errors of all SDKs. */
interface SdkError extends Error {
  /** HTTP status; missing when there was no response or it was cut off. */
  status?: number | undefined;
  headers?: Headers | undefined;
}

/** `RetryInfo` of google.rpc in the body of an error: `"retryDelay": "34s"`. */
const RETRY_DELAY = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

/**
 * Converts an SDK's error.
 * @param late whether the request timed out
 */
export function endpointError(error: unknown, { key, timeoutMs }: Access, late: boolean): EndpointError {
  if (error instanceof EndpointError) return error;
  if (late) return new EndpointError(`no response within ${timeoutMs / 1000} s`, null, null, { cause: error });
  const { status = null, headers, message, cause } = error as SdkError;
  const why = cause instanceof Error ? `${message} (${cause.message})` : message;
  const words = endpointMessage(why, key);
  const delay = RETRY_DELAY.exec(message)?.[1];
  const after = parseRetryAfter(headers?.get("retry-after") ?? delay);
  return new EndpointError(status === null ? words : `the endpoint returned ${status}: ${words}`, status, after, {
    cause: error,
  });
}

/** Runs an SDK request with the timeout. */
export async function answerInTime<T>(
  access: Access,
  signal: AbortSignal,
  answer: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = AbortSignal.timeout(access.timeoutMs);
  try {
    return await answer(AbortSignal.any([signal, late]));
  } catch (error) {
    signal.throwIfAborted();
    throw endpointError(error, access, late.aborted);
  }
}
