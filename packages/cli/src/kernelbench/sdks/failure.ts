/** What an SDK throws, as the failure of an endpoint. */
import { EndpointError, endpointWords, retryAfter, type Access } from "../endpoint.ts";

/** The part of the errors of all SDKs that is read. */
interface SdkError extends Error {
  /** Missing where there was no answer, or where the answer broke off. */
  status?: number | undefined;
  headers?: Headers | undefined;
}

/** `RetryInfo` of google.rpc, which is in the body of an error: `"retryDelay": "34s"`. */
const RETRY_DELAY = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

/** @param late whether the time for the answer was over */
export function endpointError(error: unknown, { key, timeoutMs }: Access, late: boolean): EndpointError {
  if (error instanceof EndpointError) return error;
  if (late) return new EndpointError(`no answer within ${timeoutMs / 1000} s`, null, null, { cause: error });
  const { status = null, headers, message, cause } = error as SdkError;
  const why = cause instanceof Error ? `${message} (${cause.message})` : message;
  const words = endpointWords(why, key);
  const delay = RETRY_DELAY.exec(message)?.[1];
  const after = retryAfter({ "retry-after": headers?.get("retry-after") ?? delay });
  return new EndpointError(status === null ? words : `it answers ${status}: ${words}`, status, after, { cause: error });
}

/** Has an SDK answer within the timeout. */
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
