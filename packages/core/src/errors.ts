/** Errors with a stable code, a message for people, and the corresponding HTTP status. */

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

/** Code of an error. */
export type ErrorCode = keyof typeof STATUS_OF_CODE;

/** Returns whether a string is a known error code. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(STATUS_OF_CODE, code);
}

export interface KernelBotErrorOptions extends ErrorOptions {
  retryAfterS?: number;
  fields?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
}

/** Error with a message that is written for the person who caused it. */
export class KernelBotError extends Error {
  readonly code: ErrorCode;
  readonly status: (typeof STATUS_OF_CODE)[ErrorCode];
  /** Seconds after which to retry; undefined if unknown. */
  readonly retryAfterS: number | undefined;
  /** Further fields of the JSON body of the error's response. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Further headers of the error's response. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: KernelBotErrorOptions = {}) {
    super(message, options);
    this.name = "KernelBotError";
    this.retryAfterS = options.retryAfterS;
    this.fields = options.fields ?? {};
    this.headers = options.headers ?? {};
    this.code = code;
    this.status = STATUS_OF_CODE[code];
  }
}

/** Quotes an untrusted value for an error message: escaped, also invisible marks, in double quotes, truncated to 80 characters. */
export function quote(value: string): string {
  const text = value.length > 80 ? `${value.slice(0, 79)}…` : value;
  const escaped = (marks: string) =>
    Array.from({ length: marks.length }, (_, at) => `\\u${marks.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
      "",
    );
  return JSON.stringify(text).replace(/[\p{Cf}\p{Zl}\p{Zp}]+/gu, escaped);
}
