/** Sources of runs, read from the database so many bytes at a time. */
import type { Client } from "../db/client.ts";
import type { Fact } from "./facts.ts";

const BATCH_BYTES = 2_000_000;

/** The facts with their sources, in their order. The database reads the next ones while these are written. */
export function withSources(
  client: Client,
  facts: AsyncIterable<readonly Fact[]>,
): AsyncGenerator<[Fact, Uint8Array][]> {
  return ahead(sourced(client, facts));
}

async function* ahead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next();
  for (;;) {
    const item = await next;
    if (item.done === true) return;
    next = items.next();
    // Where the writing fails nobody asks for it any more.
    next.catch(() => undefined);
    yield item.value;
  }
}

async function* sourced(client: Client, facts: AsyncIterable<readonly Fact[]>): AsyncGenerator<[Fact, Uint8Array][]> {
  for await (const batch of facts) {
    for (const part of parts(batch)) {
      const sources = await readSources(client, new Set(part.map(({ code_sha256 }) => code_sha256)));
      yield part.map((fact) => {
        const source = sources.get(fact.code_sha256);
        if (source === undefined) throw new Error(`the source ${fact.code_sha256} is not there`);
        return [fact, source];
      });
    }
  }
}

function* parts(facts: readonly Fact[]): Generator<Fact[]> {
  let part: Fact[] = [];
  let bytes = 0;
  for (const fact of facts) {
    part.push(fact);
    bytes += fact.code_bytes;
    if (bytes < BATCH_BYTES) continue;
    yield part;
    [part, bytes] = [[], 0];
  }
  if (part.length > 0) yield part;
}

async function readSources(client: Client, hashes: ReadonlySet<string>): Promise<Map<string, Uint8Array>> {
  // As bytes: that they are UTF-8 the database has checked, and decoding them would take as long as compressing.
  const rows = await client.bytes(
    "select encode(hash, 'hex'), source from code where hash = any(array(select decode(unnest($1::text[]), 'hex')))",
    [[...hashes] as never],
  );
  // A copy, since what came lies in pieces of 64 kB, and the rows of a file that is seldom written would keep them all.
  return new Map(
    (rows as [Buffer, Buffer][]).map(([hash, source]) => [hash.toString("latin1"), new Uint8Array(source)]),
  );
}
