/** Errors of Discord's API, classified by what to do about them. */

/**
 * `gone`: the interaction token has expired, or the message does not exist. `refused`: a retry would fail as well.
 * `temporary`: Discord is unavailable or rate-limits.
 */
export type Kind = "gone" | "refused" | "temporary";

export class DiscordError extends Error {
  readonly kind: Kind;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Discord's error code. */
  readonly code: number | undefined;
  /** Delay requested by Discord, in milliseconds. */
  readonly waitMs: number;

  constructor(
    kind: Kind,
    message: string,
    {
      status,
      code,
      waitMs = 0,
      cause,
    }: { status: number; code?: number | undefined; waitMs?: number; cause?: unknown },
  ) {
    super(message, { cause });
    this.name = "DiscordError";
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.waitMs = waitMs;
  }
}

/** Codes of unknown message, unknown webhook, unknown interaction and invalid webhook token. */
const GONE = new Set([10_008, 10_015, 10_062, 50_027]);

/**
 * Converts an error of the library, without importing it. Only Discord's own message is kept, because the library's
 * errors quote URLs that contain tokens.
 */
export function toDiscordError(error: unknown): DiscordError {
  if (error instanceof DiscordError) return error;
  const { code, status, retryAfter, timeToReset, message } = fieldsOf(error);
  if (retryAfter !== undefined) {
    const waitMs = Math.max(retryAfter, timeToReset ?? 0);
    return new DiscordError("temporary", `Discord rate limit: retry after ${Math.ceil(waitMs / 1000)} s`, {
      status: 429,
      waitMs,
    });
  }
  if (status === undefined) {
    return new DiscordError("temporary", `Discord did not respond: ${message}`, { status: 0 });
  }
  const words = `Discord responded with ${status}${code === undefined ? "" : ` (code ${code})`}: ${message}`;
  if (code !== undefined && GONE.has(code)) return new DiscordError("gone", words, { status, code });
  // 401: the bot token is rejected. The operator must fix it, and pending messages wait meanwhile.
  const isTemporary = status >= 500 || status === 401 || status === 408 || status === 429;
  return new DiscordError(isTemporary ? "temporary" : "refused", words, { status, code });
}

export function isRefused(error: unknown): error is DiscordError {
  return error instanceof DiscordError && error.kind === "refused";
}

interface Fields {
  code: number | undefined;
  status: number | undefined;
  retryAfter: number | undefined;
  timeToReset: number | undefined;
  message: string;
}

function fieldsOf(error: unknown): Fields {
  const fields = (error ?? {}) as Record<string, unknown>;
  const number = (name: string): number | undefined => (typeof fields[name] === "number" ? fields[name] : undefined);
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: number("code"),
    status: number("status"),
    retryAfter: number("retryAfter"),
    timeToReset: number("timeToReset"),
    message: message.split("\n")[0] ?? "",
  };
}
