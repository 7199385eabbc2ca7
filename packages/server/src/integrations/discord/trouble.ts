/** Errors of Discord's API, classified by what to do about them. */

/**
 * `gone`: the interaction token has expired, or the message does not exist. `refused`: a retry would fail as well.
 * `later`: Discord is unavailable or rate-limits.
 */
export type Kind = "gone" | "refused" | "later";

export class DiscordTrouble extends Error {
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
    this.name = "DiscordTrouble";
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
export function troubleOf(error: unknown): DiscordTrouble {
  if (error instanceof DiscordTrouble) return error;
  const { code, status, retryAfter, timeToReset, message } = fieldsOf(error);
  if (retryAfter !== undefined) {
    const waitMs = Math.max(retryAfter, timeToReset ?? 0);
    return new DiscordTrouble("later", `Discord asks to wait ${Math.ceil(waitMs / 1000)} s`, { status: 429, waitMs });
  }
  if (status === undefined) {
    return new DiscordTrouble("later", `Discord does not answer: ${message}`, { status: 0 });
  }
  const words = `Discord answers ${status}${code === undefined ? "" : `, ${code}`}: ${message}`;
  if (code !== undefined && GONE.has(code)) return new DiscordTrouble("gone", words, { status, code });
  // 401: the bot token is rejected. The operator must fix it, and pending messages wait meanwhile.
  const isLater = status >= 500 || status === 401 || status === 408 || status === 429;
  return new DiscordTrouble(isLater ? "later" : "refused", words, { status, code });
}

export function isRefused(error: unknown): error is DiscordTrouble {
  return error instanceof DiscordTrouble && error.kind === "refused";
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
