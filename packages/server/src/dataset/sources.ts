/** Sources of runs, read from the database so many bytes at a time. */
import type { Client } from "../db/client.ts";
import type { Fact } from "./facts.ts";

const BATCH_BYTES = 4_000_000;

/** Each of the facts with its source, in their order. */
export async function* withSources(client: Client, facts: readonly Fact[]): AsyncGenerator<[Fact, string]> {
  for (const part of parts(facts)) {
    const sources = await readSources(client, new Set(part.map(({ code_sha256 }) => code_sha256)));
    for (const fact of part) {
      const source = sources.get(fact.code_sha256);
      if (source === undefined) throw new Error(`the source ${fact.code_sha256} is not there`);
      yield [fact, source];
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

async function readSources(client: Client, hashes: ReadonlySet<string>): Promise<Map<string, string>> {
  const rows = await client.query(
    "select encode(hash, 'hex') as hash, source from code where hash = any(array(select decode(unnest($1::text[]), 'hex')))",
    [[...hashes] as never],
  );
  return new Map(Array.from(rows as unknown as { hash: string; source: string }[], (row) => [row.hash, row.source]));
}
