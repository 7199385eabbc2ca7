/** The account `operator`, which is the first administrator, and the link by which its owner signs in after a start. */
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "./audit.ts";
import type { Identity } from "./identity.ts";
import { nameColumns } from "./lookalikes.ts";
import { insertSignInLink } from "./sign-in-links.ts";

const OPERATOR = "operator";

/** Creates the account of the operator at the first start. @returns whether it was created. */
export async function ensureOperator({ db }: Pick<Database, "db">): Promise<boolean> {
  const operator = await db
    .insertInto("account")
    .values({ id: OPERATOR, ...nameColumns(OPERATOR), assigned_roles: ["administrator"] })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return operator !== undefined;
}

/** Returns the operator's account as the caller of what the server does itself; null if it is banned. */
export async function findOperator({ db }: Database): Promise<Identity | null> {
  const account = await db
    .selectFrom("account")
    .select(["id", "name", "roles"])
    .where("id", "=", OPERATOR)
    .where("banned_at", "is", null)
    .executeTakeFirst();
  if (account === undefined) return null;
  const { roles, ...named } = account;
  return {
    ...{ account: named, roles, banReason: null, scopes: ["submit", "read", "admin"] },
    ...{ targets: [], tokenId: null, sessionId: null },
  };
}

/**
 * Creates a sign-in link of the operator's account, valid for one hour. @returns its secret; null if the account is no
 * longer an administrator or is banned.
 */
export async function createOperatorLink({ db }: Database): Promise<string | null> {
  return runTransaction(db, async (transaction) => {
    const account = await transaction
      .selectFrom("account")
      .select(["id", "name"])
      .where("id", "=", OPERATOR)
      .where(sql<boolean>`'administrator' = any(roles)`)
      .where("banned_at", "is", null)
      .executeTakeFirst();
    if (account === undefined) return null;
    const { secret } = await insertSignInLink(transaction, account.id, 1);
    await audit(transaction, { account }, "sign-in-link", `account ${account.id}`, { name: account.name, by: "start" });
    return secret;
  });
}
