/** Constraints of the database on runs and submissions, independent of the writer. */
import { expect, test } from "vitest";
import { claimed, failing, passing, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

/** Changes one row by the given SQL assignments. */
function change(table: "run" | "submission", assignments: string): Promise<unknown> {
  return database.sql([`update ${table} set ${assignments}`] as unknown as TemplateStringsArray);
}

test.each([
  ["mode = 'fast'", "run_mode_check"],
  ["verdict = 'good'", "run_verdict_check"],
  ["failure_class = 'bad_luck'", "run_failure_class_check"],
  ["stage = 'lunch'", "run_stage_check"],
  ["attempt = -1", "run_attempt_check"],
  ["reported = -1", "run_reported_check"],
  ["rerun = -1", "run_rerun_check"],
  ["seed_commitment = 'short'", "run_seed_commitment_check"],
  ["rerun = 1", "rerun_is_ranked"],
  ["carried_over = true", "carried_over_is_rerun"],
  ["lease_until = null", "lease_while_running"],
  ["runner = null", "runner_while_running"],
  ["verdict = 'passed'", "verdict_when_done"],
  ["finished_at = now()", "finished_when_final"],
  ["failure_class = 'crash'", "class_when_failed"],
  ["time_ns = 1", "score_when_ranked"],
  ["speed_of_light_share = 0.5", "case_times_of_a_score"],
  ["ranked_by = 'speedup', ranked_value = 2, ranked_low = 1, ranked_high = 3", "ranked_value_of_a_score"],
])("rejects %s for a running run", async (assignments, name) => {
  await submitted(database, ann);
  await claimed(database, box);
  await expect(change("run", assignments)).rejects.toMatchObject({ code: "23514", constraint_name: name });
});

test.each([
  ["time_ns = null", "score_when_ranked"],
  ["time_low_ns = 0", "score_when_ranked"],
  ["time_high_ns = 'Infinity'", "score_when_ranked"],
  ["speedup = -1", "score_when_ranked"],
  ["speedup = null", "score_when_ranked"],
  ["speed_of_light_share = 0.5, case_times_ns = null", "case_times_of_a_score"],
  ["case_times_ns = '{0}'", "case_times_in_range"],
  ["speed_of_light_share = 0, case_times_ns = '{1}'", "case_times_in_range"],
  ["ranked_by = null", "ranked_value_of_a_score"],
  ["ranked_value = null", "ranked_value_of_a_score"],
  ["ranked_by = 'time'", "ranked_value_of_a_score"],
  ["ranked_value = 0.5, ranked_low = 0.6, ranked_high = 0.7", "ranked_value_of_a_score"],
  ["ranked_by = 'sol_score', ranked_value = 0.5, ranked_low = 0.4, ranked_high = 1.1", "ranked_value_of_a_score"],
  ["finished_at = null", "finished_when_final"],
])("rejects %s for a passed ranked run", async (assignments, name) => {
  await submitted(database, ann, { mode: "ranked" });
  await reported(database, box, await claimed(database, box), passing("ranked"));
  await expect(change("run", assignments)).rejects.toMatchObject({ code: "23514", constraint_name: name });
});

test("rejects a failed run without a class", async () => {
  await submitted(database, ann);
  await reported(database, box, await claimed(database, box), failing("crash"));
  await expect(change("run", "failure_class = null")).rejects.toMatchObject({ constraint_name: "class_when_failed" });
});

test.each([
  ["mode = 'fast'", "submission_mode_check"],
  ["author_kind = 'cat'", "submission_author_kind_check"],
  ["author_kind = 'assisted', model = ''", "submission_model_check"],
  ["request_hash = 'short'", "submission_request_hash_check"],
  ["licence = 'mine'", "submission_licence_check"],
  ["mode = 'duel'", "rival_in_a_duel"],
  ["author_kind = 'autonomous'", "model_of_kind"],
  ["model = 'gpt'", "model_of_kind"],
  ["removed_at = now()", "remover_when_removed"],
  ["removal_reason = 'spam'", "reason_when_removed"],
])("rejects %s for a submission", async (assignments, name) => {
  await submitted(database, ann);
  await expect(change("submission", assignments)).rejects.toMatchObject({ code: "23514", constraint_name: name });
});
