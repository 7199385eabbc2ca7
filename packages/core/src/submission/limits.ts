/** Submission limits of accounts, and how much of them is left. */
import { z } from "zod";
import { KernelBotError, quote } from "../errors.ts";
import { ProblemName } from "../vocabulary/specification.ts";
import { Mode, MODES } from "../vocabulary/states.ts";

export const LIMIT_QUANTITIES = ["per_hour", "concurrent", "gpu_seconds_per_day"] as const;
/**
 * Limited quantity, per account and mode: `per_hour` is submissions within any hour, `concurrent` is queued or running
 * runs, `gpu_seconds_per_day` is the time in seconds that runs occupied accelerators within any day.
 */
export const LimitQuantity = z.enum(LIMIT_QUANTITIES);
export type LimitQuantity = z.infer<typeof LimitQuantity>;

const KEY_ENDS = {
  per_hour: "PerHour",
  concurrent: "Concurrent",
  gpu_seconds_per_day: "GpuSecondsPerDay",
} as const satisfies Record<LimitQuantity, string>;

/** Key of a limit: `rankedPerHour`, `testConcurrent`, ... */
export type LimitKey = `${Mode}${(typeof KEY_ENDS)[LimitQuantity]}`;

/** All keys, grouped by mode. */
export const LIMIT_KEYS: readonly { key: LimitKey; mode: Mode; quantity: LimitQuantity }[] = MODES.flatMap((mode) =>
  LIMIT_QUANTITIES.map((quantity) => ({ key: `${mode}${KEY_ENDS[quantity]}` as const, mode, quantity })),
);

const MOST = 100_000;
const Bound = z
  .int("use a whole number")
  .min(0, "use 0 or more: 0 closes the mode; leave it out for no limit")
  .max(MOST, `use at most ${MOST}`);

/** Limits by key; an omitted quantity is not limited, and one of 0 closes its mode. */
export const Limits = z.strictObject(
  Object.fromEntries(LIMIT_KEYS.map(({ key }) => [key, Bound.optional()])) as Record<
    LimitKey,
    z.ZodOptional<typeof Bound>
  >,
);
export type Limits = z.infer<typeof Limits>;

export interface Limit {
  mode: Mode;
  quantity: LimitQuantity;
  bound: number;
}

/** Lists limits one by one, ordered by mode. */
export function limitsIn(limits: Limits): Limit[] {
  return LIMIT_KEYS.flatMap(({ key, mode, quantity }) => {
    const bound = limits[key];
    return bound === undefined ? [] : [{ mode, quantity, bound }];
  });
}

/** Inverse of `limitsIn`. */
export function limitsOf(limits: readonly Limit[]): Limits {
  const keyOf = ({ mode, quantity }: Limit): LimitKey => `${mode}${KEY_ENDS[quantity]}`;
  return Object.fromEntries(limits.map((limit) => [keyOf(limit), limit.bound]));
}

/**
 * Parses limits written on one line: `ranked_per_hour=20,test_concurrent=4`.
 * @throws KernelBotError `unprocessable` that quotes the invalid part.
 */
export function parseLimits(text: string): Limits {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const limits = parts.map((part): Limit => {
    const [, name, number] = /^([a-z_]+)\s*=\s*(\d{1,6})$/.exec(part) ?? [];
    const key = LIMIT_KEYS.find(({ mode, quantity }) => `${mode}_${quantity}` === name);
    const bound = Bound.safeParse(Number(number));
    if (key !== undefined && bound.success) return { ...key, bound: bound.data };
    throw new KernelBotError(
      "unprocessable",
      `${quote(part)} is not a valid limit; write MODE_per_hour, MODE_concurrent or MODE_gpu_seconds_per_day, and = with a whole number from 0, which closes the mode, to ${MOST}`,
    );
  });
  return limitsOf(limits);
}

/** Inverse of `parseLimits`. */
export function formatLimits(limits: Limits): string {
  return limitsIn(limits)
    .map(({ mode, quantity, bound }) => `${mode}_${quantity}=${bound}`)
    .join(", ");
}

/** Describes a limit: `10 ranked submissions within an hour`, or `no profile submissions`. */
export function formatLimit({ mode, quantity, bound }: Limit): string {
  return bound === 0 ? `no ${mode} submissions` : `${bound} ${WHAT[quantity](mode)}`;
}

const WHAT: Record<LimitQuantity, (mode: Mode) => string> = {
  per_hour: (mode) => `${mode} submissions within an hour`,
  concurrent: (mode) => `${mode} runs at once`,
  gpu_seconds_per_day: (mode) => `GPU-seconds of ${mode} runs within a day`,
};

/** Limit in force on a board, and where it is set: in the competition, for the board, or on the server (both null). */
export const BoardLimit = z.object({
  mode: Mode,
  quantity: LimitQuantity,
  /** 0 closes the mode. */
  bound: z.int().nonnegative(),
  competition: z.string().nullable(),
  board: ProblemName.nullable(),
});
export type BoardLimit = z.infer<typeof BoardLimit>;

/** Limit with an account's usage. */
export const Allowance = BoardLimit.extend({
  used: z.number().nonnegative(),
  /** When the next submission is accepted; null if one is accepted now, or only after a run has ended. */
  nextAt: z.iso.datetime().nullable(),
});
export type Allowance = z.infer<typeof Allowance>;

/** Limits of a problem's boards, with the caller's usage; `own` is null if the caller is not signed in. */
export const ProblemLimits = z.object({ limits: z.array(BoardLimit), own: z.array(Allowance).nullable() });
export type ProblemLimits = z.infer<typeof ProblemLimits>;

/**
 * Raised limits of a single account that replace those of a board, a competition or the server; they never lower a
 * limit.
 */
export const AccountLimits = z
  .strictObject({
    account: z.string().min(1, "name an account").max(200),
    /** Competition or board whose limits are raised; both null for those of the server. */
    competition: z.string().max(200).nullable().default(null),
    board: ProblemName.nullable().default(null),
    limits: Limits.refine((limits) => limitsIn(limits).every(({ bound }) => bound > 0), {
      message: "use 1 or more: a limit of one account replaces a lower one only",
    }),
  })
  .refine(({ competition, board }) => competition === null || board === null, {
    path: ["board"],
    message: "name a competition or a board, not both",
  });
export type AccountLimits = z.infer<typeof AccountLimits>;

/** Returns the remaining amount, at least 0. */
export function remaining({ bound, used }: Pick<Allowance, "bound" | "used">): number {
  return Math.max(0, Math.floor(bound - used));
}

/** Describes the remaining amount: `3 of 10 ranked submissions within an hour are left; the next at 14:05 UTC`. */
export function formatAllowance(allowance: Allowance): string {
  if (allowance.bound === 0) return `${allowance.mode} submissions are closed`;
  const count = remaining(allowance);
  const text = `${count} of ${formatLimit(allowance)} ${count === 1 ? "is" : "are"} left`;
  if (count > 0) return text;
  if (allowance.nextAt === null) return `${text}; ${AWAITED[allowance.quantity]}`;
  return `${text}; the next is accepted ${momentText(allowance.nextAt)}`;
}

const AWAITED: Record<LimitQuantity, string> = {
  per_hour: "the next is accepted once the oldest of them is an hour old",
  concurrent: "one of them must end first",
  gpu_seconds_per_day: "a run in progress must end first",
};

function momentText(at: string): string {
  return `at ${at.slice(0, 19).replace("T", " ")} UTC`;
}

const WINDOWS_S: Record<LimitQuantity, number | null> = {
  per_hour: 3600,
  concurrent: null,
  gpu_seconds_per_day: 86_400,
};
const UNITS: Record<LimitQuantity, string> = {
  per_hour: "requests",
  concurrent: "concurrent-requests",
  gpu_seconds_per_day: "gpu-seconds",
};

/**
 * Returns the header fields `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers: for each limit
 * the quota `q`, window `w` and unit `qu`; the remaining amount `r`, and if it is 0, the seconds until it is not, `t`.
 */
export function rateLimitFields(allowances: readonly Allowance[], now: Date): { policy: string; limit: string } {
  const name = ({ mode, quantity }: Allowance): string => `"${mode}-${quantity.replaceAll("_", "-")}"`;
  const policies = allowances.map((allowance) => {
    const window = WINDOWS_S[allowance.quantity];
    const unit = UNITS[allowance.quantity];
    return `${name(allowance)};q=${allowance.bound}${window === null ? "" : `;w=${window}`};qu="${unit}"`;
  });
  const limits = allowances.map((allowance) => {
    const wait = allowance.nextAt === null ? "" : `;t=${secondsUntil(allowance.nextAt, now)}`;
    return `${name(allowance)};r=${remaining(allowance)}${wait}`;
  });
  return { policy: policies.join(", "), limit: limits.join(", ") };
}

/** Returns the seconds until a moment, rounded up and at least 1, so that a client that waits for them is not early. */
export function secondsUntil(at: string, now: Date): number {
  return Math.max(1, Math.ceil((Date.parse(at) - now.getTime()) / 1000));
}
