/** Formats the cases of runs with their samples as rows of `samples.parquet`. */
import type { Case, HarnessSummary, Rounds } from "@kernelbot/core";
import type { Row } from "@kernelbot/dataset";
import type { Client } from "../db/client.ts";
import { batches } from "../db/cursor.ts";
import { runNumber } from "./facts.ts";
import type { Pseudonyms } from "./pseudonyms.ts";

/** A case may have hundreds of kilobytes of samples. */
const BATCH = 200;

interface StoredCase {
  submission_id: number;
  run_id: number;
  anonymous: boolean;
  stage: string;
  index: number;
  parameters: Case;
  status: string;
  bytes: number | null;
  operations: number | null;
  rounds: Rounds;
  summary: HarnessSummary | null;
}

export async function* sampleRows(
  client: Client,
  competition: string,
  pseudonyms: Pseudonyms,
): AsyncGenerator<Row<"samples">> {
  const cases = batches<StoredCase>(
    client,
    "cases",
    BATCH,
    `select t.submission_id, t.run_id, t.anonymous, c.stage, c.index, c.parameters, c.status, c.bytes, c.operations,
      c.rounds, c.summary
    from snapshot_run t
    join run r on r.id = t.run_id
    join case_result c on c.run_id = r.id and c.attempt = r.attempt
    where t.competition = $1 and c.stage in ('test', 'benchmark', 'ranked')
    order by t.place, array_position(array['test', 'benchmark', 'ranked'], c.stage), c.index`,
    [competition],
  );
  for await (const batch of cases) for (const one of batch) yield rowOf(one, pseudonyms);
}

function rowOf(one: StoredCase, pseudonyms: Pseudonyms): Row<"samples"> {
  const { seed: _, ...parameters } = one.parameters;
  const submission = one.anonymous ? pseudonyms.number("submission", one.submission_id) : one.submission_id;
  return {
    submission_id: BigInt(submission),
    run_id: BigInt(runNumber(one, pseudonyms)),
    stage: one.stage,
    case_index: one.index,
    parameters: JSON.stringify(parameters),
    status: one.status,
    bytes: one.bytes,
    operations: one.operations,
    round: one.rounds.flatMap(({ candidateNs }, round) => candidateNs.map(() => round)),
    candidate_ns: one.rounds.flatMap(({ candidateNs }) => candidateNs),
    reference_round: one.rounds.flatMap(({ referenceNs }, round) => referenceNs.map(() => round)),
    reference_ns: one.rounds.flatMap(({ referenceNs }) => referenceNs),
    harness_runs: one.summary?.runs == null ? null : BigInt(one.summary.runs),
    harness_mean_ns: one.summary?.meanNs ?? null,
    harness_std_ns: one.summary?.stdNs ?? null,
    harness_err_ns: one.summary?.errNs ?? null,
    harness_best_ns: one.summary?.bestNs ?? null,
    harness_worst_ns: one.summary?.worstNs ?? null,
  };
}
