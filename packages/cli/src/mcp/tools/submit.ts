import { AuthorKind, MAX_SOURCE_BYTES, ModelName, ProblemName, SINGLE_MODES, TargetName } from "@kernelbot/core";
import { z } from "zod";
import { declaredAuthor } from "../../submission/author.ts";
import { findDestination } from "../../submission/destination.ts";
import { submitPatiently } from "../../submission/submit.ts";
import { defineTool } from "../tool.ts";

export const submit = defineTool({
  name: "submit",
  title: "Submit a kernel",
  description:
    "Hands in a kernel and gives its number at once; watch_submission says how it comes out. Begin with mode test, which " +
    "checks the results and costs little; benchmark also times; ranked checks, times and enters the board under the " +
    "user's name; profile says where the time goes.",
  readOnly: false,
  input: z.strictObject({
    board: ProblemName.describe("The problem's name"),
    source: z.string().min(1).max(MAX_SOURCE_BYTES).describe("The whole text of the kernel"),
    fileName: z.string().min(1).max(200).describe("Its end tells the language: .py, .cpp or .cu"),
    targets: z.array(TargetName).min(1).max(16).optional().describe("May be left out where the board has only one"),
    mode: z.enum(SINGLE_MODES).default("test"),
    author: AuthorKind.optional().describe("Who wrote the kernel: human, assisted by a model, or a model by itself"),
    model: ModelName.optional().describe("The model's name, where one assisted or wrote it"),
  }),
  output: z.object({
    submission: z.int(),
    page: z.string(),
    board: z.string(),
    mode: z.enum(SINGLE_MODES),
    targets: z.array(z.string()),
  }),
  call: async (
    { board, source, fileName, targets = [], mode, author, model },
    { client, server, pageOf, progress },
  ) => {
    const destination = await findDestination(client, source, { board, targets });
    const declared = declaredAuthor(source, { author, model });
    const accepted = await submitPatiently(client, { ...destination, mode, fileName, source, ...declared }, () =>
      progress(1, `the server at ${server} does not answer; trying again for some seconds`),
    );
    const page = pageOf(accepted.id);
    const text = `Submission ${accepted.id} is accepted. Call watch_submission with it.\n${page}`;
    return { data: { ...destination, submission: accepted.id, page, mode }, text };
  },
});
