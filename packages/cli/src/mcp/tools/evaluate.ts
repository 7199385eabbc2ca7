import {
  EvaluationLevel,
  EvaluationOutcome,
  MAX_SOURCE_BYTES,
  ProblemReference,
  RewardRule,
  SessionBudget,
  SpeedupInterval,
  TargetName,
} from "@kernelbot/core";
import { z } from "zod";
import { evaluationLines, toEvaluationRequest } from "../../submission/evaluation.ts";
import { sanitize } from "../../output/text.ts";
import { defineTool } from "../tool.ts";
import { Untrusted, untrusted } from "../untrusted.ts";

export const evaluate = defineTool({
  name: "evaluate",
  title: "Evaluate a kernel",
  description:
    "Judges a kernel without entering a leaderboard, and returns its outcome, speedup, reward and feedback when it has " +
    "ended. Level compile only imports the code, test runs the test cases within seconds, reward also times it.",
  readOnly: false,
  input: z.strictObject({
    problem: ProblemReference.describe(
      "Name of the problem, or sha256:HASH of a problem that was uploaded for evaluations",
    ),
    target: TargetName.describe("Target to judge on"),
    source: z.string().min(1).max(MAX_SOURCE_BYTES).describe("Source code of the kernel"),
    fileName: z.string().min(1).max(200).describe("File name; its extension selects the language: .py, .cpp or .cu"),
    level: EvaluationLevel.default("test"),
    rule: RewardRule.optional(),
    session: z.int().positive().optional().describe("Session whose budget it uses; see start_session"),
    fresh: z.boolean().default(false).describe("Judges again instead of returning an earlier result of the same code"),
  }),
  output: z.object({
    evaluation: z.int(),
    state: z.string(),
    outcome: EvaluationOutcome.nullable(),
    passed: z.int(),
    total: z.int(),
    speedup: SpeedupInterval.nullable(),
    reward: z.number().nullable().describe("From 0 to 1; null where the platform, and not the kernel, failed"),
    feedback: Untrusted.nullable(),
    cached: z.boolean(),
    session: SessionBudget.nullable().describe("What is left of the session's budget"),
    unsandboxed: z.boolean(),
    legacyHarness: z.boolean(),
  }),
  call: async ({ source, fileName, problem, target, level, rule, session, fresh }, { client }) => {
    const request = toEvaluationRequest(fileName, source, { problem, target, level, rule, fresh, session });
    const evaluation = sanitize(await client.evaluations.evaluate({ ...request, priority: "interactive" }));
    const { id, state, outcome, passed, total, speedup, reward, feedback, cached, unsandboxed, legacyHarness } =
      evaluation;
    return {
      data: {
        ...{ evaluation: id, state, outcome, passed, total, speedup, reward, feedback: untrusted(feedback), cached },
        ...{ unsandboxed, legacyHarness, session: evaluation.session },
      },
      text: evaluationLines(evaluation).join("\n"),
    };
  },
});
