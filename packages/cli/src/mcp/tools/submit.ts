import {
  AuthorKind,
  formatWaitingTargets,
  MAX_SOURCE_BYTES,
  ModelName,
  ProblemName,
  SINGLE_MODES,
  TargetAvailability,
  TargetName,
} from "@kernelbot/core";
import { z } from "zod";
import { declaredAuthor } from "../../submission/author.ts";
import { findDestination } from "../../submission/destination.ts";
import { retryNotice, submitWithRetry } from "../../submission/submit.ts";
import { sanitize } from "../../output/text.ts";
import { defineTool } from "../tool.ts";

export const submit = defineTool({
  name: "submit",
  title: "Submit a kernel",
  description:
    "Submits a kernel and returns the number of the submission immediately; watch_submission returns the result. Start with " +
    "mode test, which checks correctness within seconds; benchmark also measures the runtime; ranked does both on fresh " +
    "inputs and enters the leaderboard under the user's name; profile records a profile.",
  readOnly: false,
  input: z.strictObject({
    board: ProblemName.describe("Name of the problem"),
    source: z.string().min(1).max(MAX_SOURCE_BYTES).describe("Source code of the kernel"),
    fileName: z.string().min(1).max(200).describe("File name; its extension selects the language: .py, .cpp or .cu"),
    targets: z
      .array(TargetName)
      .min(1)
      .max(16)
      .optional()
      .describe("Targets; may be omitted if the leaderboard has only one"),
    mode: z.enum(SINGLE_MODES).default("test"),
    author: AuthorKind.optional().describe("Who wrote the kernel: human, assisted by a model, or a model by itself"),
    model: ModelName.optional().describe("Name of the model that assisted or wrote it"),
    session: z.int().positive().optional().describe("Evaluation session whose transcript is attached"),
  }),
  output: z.object({
    submission: z.int(),
    page: z.string(),
    board: z.string(),
    mode: z.enum(SINGLE_MODES),
    targets: z.array(z.string()),
    runners: z
      .array(TargetAvailability.extend({ target: z.string() }))
      .describe("Status of each target; with paused or offline, the run waits until a runner connects"),
  }),
  call: async (
    { board, source, fileName, targets = [], mode, author, model, session },
    { client, server, pageOf, progress },
  ) => {
    const destination = await findDestination(client, source, { board, targets });
    const declared = {
      ...declaredAuthor(source, { author, model }),
      ...(session !== undefined && { session }),
    };
    const submission = await submitWithRetry(client, { ...destination, mode, fileName, source, ...declared }, () =>
      progress(1, retryNotice(server)),
    );
    const page = pageOf(submission.id);
    const { id, runs } = sanitize(submission);
    const text = [
      `Submission ${id} is queued. Call watch_submission for its result.`,
      ...formatWaitingTargets(runs, new Date()),
      page,
    ].join("\n");
    const runners = runs.flatMap(({ target, runners }) => (runners === null ? [] : [{ target, ...runners }]));
    return { data: { ...destination, submission: id, page, mode, runners }, text };
  },
});
