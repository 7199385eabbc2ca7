/**
 * Which statements the database layer may execute again after a failure.
 *
 * While the database is unreachable, statements are retried for up to 20 s (retry.ts). A statement that only reads is
 * always retried. A statement that writes is retried only if it certainly had no effect, because its result may have
 * been lost after the commit. A write that may be executed twice is sent through `idempotent(db)`, which retries it in
 * that case too:
 *
 *     await idempotent(db).deleteFrom("token").where("id", "=", id).execute();
 */
import type { CompiledQuery, Kysely, KyselyPlugin } from "kysely";
import { hadNoEffect, isRetryable } from "./retry.ts";
import type { Tables } from "./tables.ts";

const idempotentNodes = new WeakSet();

const IDEMPOTENT: KyselyPlugin = {
  transformQuery({ node }) {
    idempotentNodes.add(node);
    return node;
  },
  transformResult: ({ result }) => Promise.resolve(result),
};

/** Returns a handle whose statements and transactions have the same effect when they are executed twice. */
export function idempotent(db: Kysely<Tables>): Kysely<Tables> {
  return db.withPlugin(IDEMPOTENT);
}

export function isIdempotent(db: Kysely<Tables>): boolean {
  return db.getExecutor().plugins.includes(IDEMPOTENT);
}

/** Returns the condition on an error under which a statement may be executed again. */
export function mayRepeat({ query, sql }: Pick<CompiledQuery, "query" | "sql">): (error: unknown) => boolean {
  return (error) => (idempotentNodes.has(query) || isRead(sql) ? isRetryable(error) : hadNoEffect(error));
}

/** Returns whether a statement only reads. Functions that write, such as `claim_run`, are called in `commitDurably`. */
function isRead(text: string): boolean {
  return /^\s*(select|with)\b/i.test(text) && !/\b(insert|update|delete|merge)\b/i.test(text);
}
