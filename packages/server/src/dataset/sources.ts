/** Reads the sources of runs in batches limited by size. */
import type { Client } from "../db/client.ts";
import type { Fact } from "./facts.ts";

const BATCH_BYTES = 1_000_000;

/** A batch of runs with their sources. */
export interface Sourced {
  facts: readonly (readonly [Fact, Uint8Array])[];
  /** The buffer that contains all the sources. */
  memory: ArrayBuffer;
}

/** Returns the runs with their sources, in order. Reads one batch ahead, so that reading and writing overlap. */
export function withSources(client: Client, facts: AsyncIterable<readonly Fact[]>): AsyncGenerator<Sourced> {
  return ahead(sourced(client, facts));
}

async function* ahead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next();
  for (;;) {
    const item = await next;
    if (item.done === true) return;
    next = items.next();
    // Prevents an unhandled rejection when the consumer stops.
    next.catch(() => undefined);
    yield item.value;
  }
}

async function* sourced(client: Client, facts: AsyncIterable<readonly Fact[]>): AsyncGenerator<Sourced> {
  for await (const batch of facts) {
    for (const part of parts(batch)) {
      const { sources, memory } = await readSources(client, new Set(part.map(({ code_sha256 }) => code_sha256)));
      yield {
        facts: part.map((fact) => {
          const source = sources.get(fact.code_sha256);
          if (source === undefined) throw new Error(`the source ${fact.code_sha256} is missing`);
          return [fact, source];
        }),
        memory,
      };
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

interface Sources {
  /** By hash, in hexadecimal. */
  sources: Map<string, Uint8Array>;
  memory: ArrayBuffer;
}

async function readSources(client: Client, hashes: ReadonlySet<string>): Promise<Sources> {
  // Read as bytes: PostgreSQL has validated the UTF-8, and decoding would take as long as compressing.
  const rows = (await client.bytes(
    "select encode(hash, 'hex'), source from code where hash = any(array(select decode(unnest($1::text[]), 'hex')))",
    [[...hashes] as never],
  )) as [Buffer, Buffer][];
  const memory = new ArrayBuffer(rows.reduce((sum, [, source]) => sum + source.length, 0));
  let at = 0;
  const sources = new Map(
    rows.map(([hash, source]) => {
      const copy = new Uint8Array(memory, at, source.length);
      copy.set(source);
      at += source.length;
      return [hash.toString("latin1"), copy];
    }),
  );
  return { sources, memory };
}
