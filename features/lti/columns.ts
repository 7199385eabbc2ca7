/** Grade columns of platforms (line items of Assignment and Grade Services 2.0). */
import { sql, type Transaction } from "kysely";
import type { Configuration } from "openid-client";
import { z } from "zod";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import { perDatabase } from "@kernelbot/server/src/db/per-database.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { SCOPES } from "./claims.ts";
import { requestService } from "./protocol.ts";
import { jsonOf, pages } from "./service.ts";

const LINE_ITEM = "application/vnd.ims.lis.v2.lineitem+json";
const LINE_ITEMS = "application/vnd.ims.lis.v2.lineitemcontainer+json";

const LineItem = z.object({ id: z.url(), resourceId: z.string().optional() });

/**
 * The last creation of a column by this server. Each one follows the other, because it holds a connection for
 * transactions, of which there are few, while a platform responds.
 */
const creations = perDatabase(() => ({ last: Promise.resolve("") }));

interface ColumnLink {
  id: number;
  competition: string;
  /** Address of the list of columns. */
  lineItems: string;
}

/**
 * Returns the address of the column of an assignment, which is found at the platform or created there once.
 * @throws if the platform does not respond, or does not allow it.
 */
export async function findOrCreateColumn(
  database: Database,
  configuration: Configuration,
  link: ColumnLink,
  column: { problem: string; maximum: number },
): Promise<string> {
  const known = await knownColumn(database.db, link, column);
  if (known !== null) return known;
  const creation = creations(database);
  const create = () => createOnce(database, configuration, link, column);
  creation.last = creation.last.then(create, create);
  return creation.last;
}

async function knownColumn(
  db: Database["db"] | Transaction<Tables>,
  { id }: ColumnLink,
  { problem }: { problem: string },
): Promise<string | null> {
  const row = await db
    .selectFrom("lti_line_item")
    .select("url")
    .where("link_id", "=", id)
    .where("problem", "=", problem)
    .executeTakeFirst();
  return row?.url ?? null;
}

function createOnce(
  { db }: Database,
  configuration: Configuration,
  link: ColumnLink,
  column: { problem: string; maximum: number },
): Promise<string> {
  const { id, competition, lineItems } = link;
  const { problem, maximum } = column;
  return runTransaction(idempotent(db), async (transaction) => {
    // Serialises servers, each of which would create a column.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`LTI column ${id} ${problem}`}, 13))`.execute(
      transaction,
    );
    const known = await knownColumn(transaction, link, column);
    if (known !== null) return known;
    const resourceId = `${competition}/${problem}`;
    const url =
      (await findColumn(configuration, lineItems, resourceId)) ??
      (await createColumn(configuration, lineItems, { label: problem, scoreMaximum: maximum, resourceId }));
    await transaction.insertInto("lti_line_item").values({ link_id: id, problem, url }).execute();
    return url;
  });
}

/** Forgets a column that the platform no longer has. */
export async function forgetColumn({ db }: Database, linkId: number, url: string): Promise<void> {
  await idempotent(db).deleteFrom("lti_line_item").where("link_id", "=", linkId).where("url", "=", url).execute();
}

async function findColumn(configuration: Configuration, list: string, resourceId: string): Promise<string | null> {
  const first = new URL(list);
  first.searchParams.set("resource_id", resourceId);
  for await (const page of pages(configuration, { scope: SCOPES.lineItem, url: first, accept: LINE_ITEMS })) {
    const found = z
      .array(LineItem)
      .parse(page)
      .find((item) => item.resourceId === resourceId);
    if (found !== undefined) return found.id;
  }
  return null;
}

async function createColumn(
  configuration: Configuration,
  list: string,
  column: { label: string; scoreMaximum: number; resourceId: string },
): Promise<string> {
  const response = await requestService(configuration, {
    ...{ scope: SCOPES.lineItem, url: new URL(list), method: "POST", accept: LINE_ITEM },
    ...{ body: { ...column, tag: "kernelbot" }, contentType: LINE_ITEM },
  });
  return LineItem.parse(await jsonOf(response)).id;
}
