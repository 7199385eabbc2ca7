/**
 * Sign-in by e-mail: a link that proves that the person who opens it reads the mail of an address. The address is then an
 * identity like those at providers.
 *
 * A request does not read whether the address has an account, so neither its response nor its duration shows it. The
 * link may be opened in another browser than the one that requested it, since people read mail elsewhere.
 */
import { sql } from "kysely";
import { KernelBotError, quote, type AccountName } from "@kernelbot/core";
import type { Database } from "../../db/database.ts";
import { runTransaction } from "../../db/transaction.ts";
import { findOrCreateAccountIn, linkIdentityIn } from "../identities.ts";
import type { Identity } from "../identity.ts";
import type { ProviderUser } from "../providers.ts";
import { networkOf, throttle } from "../rate-limits.ts";
import { registerAccount } from "../register.ts";
import { hashOf, newSecret } from "../secret.ts";
import { beginSession, type Browser } from "../sessions.ts";
import { usedLinkError } from "../sign-in-links.ts";
import { toAddress } from "./address.ts";
import type { Mailer } from "./mailer.ts";
import { linkMail } from "./messages.ts";

const MINUTES = 15;
/**
 * The window is the lifetime of a link: when someone else uses the mails of an address up, its owner has links that
 * work.
 */
const OF_ADDRESS = { times: 5, windowS: MINUTES * 60, what: "to send mail to this address" };
/** Two mails for each member of a class, whose members often share one address. */
const OF_NETWORK = { times: 100, windowS: 600, what: "to send mail from your network" };

interface EmailLinkRequest {
  /** Address as typed. */
  email: string;
  /** Account to which the address will be added; null to sign in. */
  accountId: string | null;
  /** Page to open afterwards. */
  next: string;
  /** Address of the client. */
  client: string;
  /** Public origin of this server. */
  origin: string;
}

/**
 * Sends a link to an address. @returns the address in the form in which it is an identity.
 * @throws KernelBotError `unprocessable`, `too_many_requests`, or as `Mailer.send`.
 */
export async function sendEmailLink(
  database: Database,
  mailer: Mailer,
  { email, accountId, next, client, origin }: EmailLinkRequest,
): Promise<string> {
  const address = toAddress(email, mailer.domains);
  await throttle(database, "mail-network", networkOf(client), OF_NETWORK);
  await throttle(database, "mail-address", address, OF_ADDRESS);
  const secret = newSecret();
  await database.db
    .insertInto("email_link")
    .values({
      hash: hashOf(secret),
      address,
      account_id: accountId,
      next,
      expires_at: sql<Date>`now() + make_interval(mins => ${MINUTES})`,
    })
    .execute();
  const url = `${origin}/sign-in/email?token=${secret}`;
  await mailer.send(await linkMail({ to: address, url, adds: accountId !== null, minutes: MINUTES }));
  return address;
}

interface EmailLink {
  address: string;
  /** Account to which the link adds the address; null if it signs in. */
  adds: AccountName | null;
  /** Account that the address opens; null if it has none yet. */
  opens: AccountName | null;
}

/** Returns what a link does, without using it up. @throws KernelBotError `not_found` if it was used or has expired. */
export async function readEmailLink({ db }: Database, secret: string): Promise<EmailLink> {
  const row = await db
    .selectFrom("email_link as l")
    .leftJoin("account as a", "a.id", "l.account_id")
    .leftJoin("linked_identity as i", (join) =>
      join.onRef("i.subject", "=", "l.address").on("i.provider", "=", "email"),
    )
    .leftJoin("account as o", "o.id", "i.account_id")
    .select(["l.address", "a.id as addsTo", "a.name as addsName", "o.id as opens", "o.name as opensName"])
    .where("l.hash", "=", hashOf(secret))
    .where("l.expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  if (row === undefined) throw usedLinkError();
  const account = (id: string | null, name: string | null) => (id === null || name === null ? null : { id, name });
  return { address: row.address, adds: account(row.addsTo, row.addsName), opens: account(row.opens, row.opensName) };
}

/** Browser that opens a link. */
interface Opener extends Browser {
  /** Account that is signed in. */
  viewer: Identity | null;
  /** Name for the new account, if the address has none. */
  name: string;
}

/**
 * Uses a link up: adds the address to the account that is signed in, or signs in to the account of the address and
 * creates it with the chosen name if it does not exist.
 * @returns the page to open, and the secret of the session; null where the browser is signed in already.
 * @throws KernelBotError `not_found` if the link was used or has expired; `forbidden` if it adds the address to another
 * account than the one that is signed in; `conflict` or `unprocessable` for the name. The link can then be used again.
 */
export async function followEmailLink(
  { db }: Database,
  secret: string,
  { viewer, name, ...browser }: Opener,
): Promise<{ next: string; session: string | null }> {
  return runTransaction(db, async (transaction) => {
    const used = await transaction
      .deleteFrom("email_link")
      .where("hash", "=", hashOf(secret))
      .where("expires_at", ">", sql<Date>`now()`)
      .returning(["address", "account_id", "next"])
      .executeTakeFirst();
    if (used === undefined) throw usedLinkError();
    const { address, account_id: accountId, next } = used;
    const vouched: ProviderUser = { provider: "email", subject: address, name: "" };
    if (accountId === null) {
      const create = async () => (await registerAccount(transaction, name)).id;
      const account = await findOrCreateAccountIn(transaction, vouched, create);
      return { next, session: await beginSession(transaction, account, browser) };
    }
    if (viewer?.account.id !== accountId) {
      throw new KernelBotError(
        "forbidden",
        `only the account that asked for it can add ${quote(address)}; open the link in the browser in which you are signed in`,
      );
    }
    await linkIdentityIn(transaction, viewer, vouched);
    return { next, session: null };
  });
}
