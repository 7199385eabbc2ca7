/**
 * Errors are data: a stable code, a sentence for a person, and the HTTP status that says the same to a program.
 */

const STATUS_OF_CODE = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  stale_attempt: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  too_many_requests: 429,
  internal: 500,
  unavailable: 503,
} as const;

/** The kinds of refusal that our parts know. */
export type ErrorCode = keyof typeof STATUS_OF_CODE;

/** Whether a word that came from elsewhere is one of ours. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(STATUS_OF_CODE, code);
}

/** An error whose message is written for the person who caused it. */
export class KernelBotError extends Error {
  readonly code: ErrorCode;
  readonly status: (typeof STATUS_OF_CODE)[ErrorCode];
  /** After how many seconds to try again, where that is known. */
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { retryAfterS?: number }) {
    super(message, options);
    this.name = "KernelBotError";
    this.retryAfterS = options?.retryAfterS;
    this.code = code;
    this.status = STATUS_OF_CODE[code];
  }
}

/** Quotes a value of a stranger for an error message: printable, in double quotes, and no longer than 80 characters. */
export function quote(value: string): string {
  const text = value.length > 80 ? `${value.slice(0, 79)}…` : value;
  return JSON.stringify(text);
}
