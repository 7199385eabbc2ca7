import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { openDatabase, type Database } from "../packages/server/src/db/database.ts";
import { similarTo, storeFingerprints } from "../packages/server/src/moderation/similar.ts";
import { syncProblems } from "../packages/server/src/problems/sync.ts";
import { temporaryDataDir } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";

const SOURCES = 100_000;
const ACCOUNTS = 1000;
const LOOKUPS = 20;
const CALLS = ["add", "mul", "sub", "max", "min", "exp", "log", "sum", "abs", "neg", "sin", "cos"];
const SECTIONS = 8;
/** Number of variants of each section, such that thousands of sources share each fingerprint. */
const VARIANTS = 16;

/** Returns three statements of about 20 tokens each, reproducible by key. */
function statements(key: string, name: string): string {
  const bytes = createHash("sha256").update(key).digest();
  const call = (at: number) => CALLS[(bytes[at] ?? 0) % CALLS.length];
  return [0, 1, 2]
    .map((n) => `    ${name} = torch.${call(3 * n)}(${name}, data[0].${call(3 * n + 1)}().${call(3 * n + 2)}())\n`)
    .join("");
}

/** Returns a kernel of shared starter code, alternating with a variant of each section. */
function kernel(variants: readonly number[], name: string): string {
  const parts = variants.map(
    (variant, section) => statements(`starter ${section}`, name) + statements(`${section}.${variant}`, name),
  );
  return `def custom_kernel(data):\n    ${name} = data[0]\n${parts.join("")}    return ${name}\n`;
}

/** Returns the section variants of the nth source. */
function variantsOf(n: number): number[] {
  const bytes = createHash("sha256").update(String(n)).digest();
  return Array.from({ length: SECTIONS }, (_, section) => (bytes[section] ?? 0) % VARIANTS);
}

/** Stores sources as submissions of the given accounts; returns the id of the first submission. */
async function store({ sql }: Database, sources: readonly string[], account: (at: number) => number): Promise<number> {
  const rows = sources.map((source, at) => ({ source, account: `account-${account(at)}` }));
  const [first] = await sql<{ id: number }>`
    with rows as (
      select ordinality as at, value ->> 'source' as source, value ->> 'account' as account
      from jsonb_array_elements(${JSON.stringify(rows)}::text::jsonb) with ordinality
    ), stored as (
      insert into code (hash, source) select sha256(convert_to(source, 'UTF8')), min(source) from rows group by 1
      on conflict do nothing
    ), submitted as (
      insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, idempotency_key, request_hash)
      select account, 'vectoradd', problem.version, 'test', 'kernel.py', sha256(convert_to(rows.source, 'UTF8')),
        gen_random_uuid()::text, sha256('')
      from rows join problem on problem.name = 'vectoradd' order by at
      returning id
    )
    select min(id)::integer as id from submitted`;
  return first?.id ?? 0;
}

/**
 * Measures among 100,000 sources whose fingerprints are each shared by thousands: the time to store the fingerprints of
 * one, the time to find the most similar sources, and how many copies and near copies are found.
 */
export const similar: Bench = async () => {
  const dataDir = temporaryDataDir();
  const database = await openDatabase({ dataDir });
  try {
    await syncProblems(database, resolve(import.meta.dirname, "../problems"));
    await database.sql`
      insert into account (id, name) select 'account-' || n, 'account-' || n from generate_series(0, ${ACCOUNTS}::integer) n`;
    for (let from = 0; from < SOURCES; from += 1000) {
      const batch = Array.from({ length: 1000 }, (_, at) => kernel(variantsOf(from + at), "x"));
      await store(database, batch, (at) => at % ACCOUNTS);
    }
    const storing = performance.now();
    while ((await storeFingerprints(database, 500)) > 0);
    const storedMs = (performance.now() - storing) / SOURCES;

    // Every second one is a renamed copy; the others also have a section of their own.
    const copied = Array.from({ length: LOOKUPS }, (_, n) => Math.floor((n * SOURCES) / LOOKUPS));
    const copies = copied.map((n, at) => {
      const copy = kernel(variantsOf(n), "renamed");
      return at % 2 === 0 ? copy : copy.replace("    return", `${statements(`mine ${n}`, "renamed")}    return`);
    });
    const first = await store(database, copies, () => ACCOUNTS);
    await storeFingerprints(database);
    const times: number[] = [];
    let found = 0;
    for (const [at, n] of copied.entries()) {
      const begun = performance.now();
      const nearest = await similarTo(database, first + at);
      times.push(performance.now() - begun);
      if (nearest?.[0]?.submissionId === n + 1) found += 1;
    }
    times.sort((a, b) => a - b);
    const [{ bytes } = { bytes: 0 }] = await database.sql<{ bytes: number }>`
      select pg_total_relation_size('fingerprint')::float8 as bytes`;
    return [
      { name: "storing fingerprints, a source", value: storedMs, unit: "ms" },
      { name: "fingerprints of 100,000 sources", value: bytes / 1e6, unit: "MB" },
      { name: "most like one, median", value: times[LOOKUPS / 2] ?? NaN, unit: "ms" },
      { name: "most like one, slowest", value: times.at(-1) ?? NaN, unit: "ms" },
      { name: "copies and near copies found", value: found, unit: `of ${LOOKUPS}` },
    ];
  } finally {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
};
