/** Grade columns of platforms (line items of Assignment and Grade Services 2.0). */
import { parseRetryAfter } from "@kernelbot/core";
import { sql, type Transaction } from "kysely";
import type { Configuration } from "openid-client";
import { z } from "zod";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { perDatabase } from "../db/per-database.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { SCOPES } from "./claims.ts";
import { requestService } from "./protocol.ts";

const LINE_ITEM = "application/vnd.ims.lis.v2.lineitem+json";
const LINE_ITEMS = "application/vnd.ims.lis.v2.lineitemcontainer+json";
/** Maximum number of pages that are read of a list. */
const MAX_PAGES = 50;

const LineItem = z.object({ id: z.url(), resourceId: z.string().nullish() });

/**
 * The last creation of a column by this server. Each one follows the other, because it holds a connection for
 * transactions, of which there are few, while a platform responds.
 */
const creations = perDatabase(() => ({ last: Promise.resolve("") }));

export interface ColumnLink {
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

/** Reads the pages of a list, which name the next one in the header Link (RFC 8288). */
export async function* pages(
  configuration: Configuration,
  { scope, url, accept }: { scope: string; url: URL; accept: string },
): AsyncGenerator {
  let next: URL | null = url;
  for (let page = 0; next !== null && page < MAX_PAGES; page += 1) {
    const response: Response = await requestService(configuration, { scope, url: next, accept });
    yield await jsonOf(response);
    const [, target] = /<([^>]+)>[^,]*;\s*rel="?next"?/i.exec(response.headers.get("link") ?? "") ?? [];
    next = target === undefined ? null : new URL(target, next);
  }
}

/** Failure that a platform reported. */
export class PlatformError extends Error {
  readonly status: number;
  /** Delay in milliseconds that the platform asks for. */
  readonly retryAfterMs: number;
  constructor(response: Response, text: string) {
    const detail = text
      .replaceAll(/<[^>]*>|[\s\p{C}]+/gu, " ")
      .trim()
      .slice(0, 200);
    super(`the platform responded with ${response.status}${detail === "" ? "" : `: ${detail}`}`);
    this.status = response.status;
    this.retryAfterMs = parseRetryAfter(response.headers.get("retry-after")) ?? 0;
  }
}

/** @throws PlatformError unless the platform accepted the request. */
export async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new PlatformError(response, await response.text().catch(() => ""));
}

async function jsonOf(response: Response): Promise<unknown> {
  return (await requireSuccess(response)).json();
}
