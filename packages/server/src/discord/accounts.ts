/** Whose account a person at Discord has here. Discord vouches for who asks, as it does where one signs in with it. */
import { KernelBotError } from "@kernelbot/core";
import type { Viewer } from "../competitions/access.ts";
import type { Identity } from "../db/identity.ts";
import { enter, identityOf } from "../people/identities.ts";
import type { Bot } from "./bot.ts";
import type { User } from "./protocol.ts";

const PROVIDER = "discord";

/** Who looks: as a stranger where there is no account yet. */
export async function viewerOf({ database }: Bot, user: Pick<User, "id">): Promise<Viewer> {
  return (await identityOf(database, { provider: PROVIDER, subject: user.id })) ?? undefined;
}

/** @throws KernelBotError `unauthorized` where there is no account yet. */
export async function callerOf(bot: Bot, user: Pick<User, "id">): Promise<Identity> {
  const identity = await viewerOf(bot, user);
  if (identity !== undefined) return identity;
  throw new KernelBotError(
    "unauthorized",
    "your Discord account has no account here yet; /leaderboard help says how to get one",
  );
}

/** The same, with an account that is made for who has none yet. */
export async function entrantOf(bot: Bot, { id, username, global_name }: User): Promise<Identity> {
  const vouched = { provider: PROVIDER, subject: id, name: global_name ?? username } as const;
  if ((await viewerOf(bot, { id })) === undefined) await enter(bot.database, vouched);
  return callerOf(bot, { id });
}
