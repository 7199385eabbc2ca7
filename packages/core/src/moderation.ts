/** What is taken off the boards by hand, why, and by whom. */
import { z } from "zod";

/** Why a moderator acts: public where the thing itself is. */
export const Reason = z.string().trim().min(1, "give a reason").max(1000, "use at most 1000 characters");

/** What a moderator says with an act upon one thing. */
export const ReasonRequest = z.object({ reason: Reason });

/** A submission that is on no board and shown to nobody but its owner and moderators. */
export const Removal = z.object({
  at: z.iso.datetime(),
  by: z.enum(["owner", "moderator"]),
  /** Null where its owner removed it. */
  reason: z.string().nullable(),
});
export type Removal = z.infer<typeof Removal>;

/** `removed by a moderator: copied`, `removed by its owner`. */
export function removalWords({ by, reason }: Removal): string {
  return by === "owner" ? "removed by its owner" : `removed by a moderator: ${reason}`;
}

/** An account that is to be banned, or not any more. */
export const BanRequest = z.object({
  account: z.string().min(1, "name an account").max(200, "use at most 200 characters"),
  reason: Reason,
});
export type BanRequest = z.infer<typeof BanRequest>;

/** Whether an account is banned. */
export const BanStanding = z.object({
  account: z.object({ id: z.string(), name: z.string() }),
  bannedAt: z.iso.datetime().nullable(),
  /** Why, or null where it is not banned. */
  reason: z.string().nullable(),
});
export type BanStanding = z.infer<typeof BanStanding>;
