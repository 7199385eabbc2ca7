/** Maps Discord users to accounts. Discord vouches for the user, as it does when a user signs in with Discord. */
import { KernelBotError } from "@kernelbot/core";
import type { Viewer } from "../../auth/visibility.ts";
import type { Identity } from "../../auth/identity.ts";
import { findOrCreateAccount, identityOf } from "../../auth/identities.ts";
import type { Bot } from "./bot.ts";
import type { User } from "./protocol.ts";

const PROVIDER = "discord";

/** Returns the viewer of a Discord user; undefined (anonymous) when the user has no account. */
export async function viewerOf({ database }: Bot, user: Pick<User, "id">): Promise<Viewer> {
  return (await identityOf(database, { provider: PROVIDER, subject: user.id })) ?? undefined;
}

/** Returns the identity of a Discord user. @throws KernelBotError `unauthorized` when the user has no account. */
export async function callerOf(bot: Bot, user: Pick<User, "id">): Promise<Identity> {
  const identity = await viewerOf(bot, user);
  if (identity !== undefined) return identity;
  throw new KernelBotError(
    "unauthorized",
    "your Discord account is not linked to an account here; see /leaderboard help",
  );
}

/** Like `callerOf`, but creates an account when the user has none. */
export async function entrantOf(bot: Bot, { id, username, global_name }: User): Promise<Identity> {
  const vouched = { provider: PROVIDER, subject: id, name: global_name ?? username } as const;
  if ((await viewerOf(bot, { id })) === undefined) await findOrCreateAccount(bot.database, vouched);
  return callerOf(bot, { id });
}
