/** Export and erasure of what a server stores about a person. */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";

/**
 * What an erasure does with rows: `deleted`; `redacted`: they remain without what the person wrote or is known by;
 * `kept`: they remain, under the pseudonym.
 */
export const ErasureKind = z.enum(["deleted", "redacted", "kept"]);
export type ErasureKind = z.infer<typeof ErasureKind>;

/** What an erasure of an account would do. */
export const ErasurePreview = z.object({
  account: AccountName,
  /** Why the account cannot be erased now, as sentences that say what to do. Empty if it can. */
  obstacles: z.array(z.string()),
  /** Number of queued and running runs, which would be cancelled. */
  openRuns: z.number().int().nonnegative(),
  /** Number of results on leaderboards, which stay there under the pseudonym unless they are removed, too. */
  boardResults: z.number().int().nonnegative(),
  /** Rows by table of the server's database; tables without any are left out. */
  tables: z.array(z.object({ table: z.string(), rows: z.number().int().positive(), erasure: ErasureKind })),
});
export type ErasurePreview = z.infer<typeof ErasurePreview>;

export const ErasureRequest = z.strictObject({
  /** Current name of the account, as a confirmation. */
  name: z.string().max(200),
  /** Whether the results are removed from leaderboards, whose ranks are computed again. */
  removeResults: z.boolean().default(false),
});
export type ErasureRequest = z.infer<typeof ErasureRequest>;

/** Result of an erasure. Sources and outputs are deleted in the background, within minutes. */
export const Erasure = z.object({
  /** The account under its pseudonym. */
  account: AccountName,
  erasedAt: z.iso.datetime(),
  /** Number of queued and running runs that were cancelled. */
  cancelledRuns: z.number().int().nonnegative(),
  /** Number of submissions that were removed from leaderboards. */
  removedSubmissions: z.number().int().nonnegative(),
});
export type Erasure = z.infer<typeof Erasure>;
