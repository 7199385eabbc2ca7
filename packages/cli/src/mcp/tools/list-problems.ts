import { z } from "zod";
import { problemLines } from "../../render/lists.ts";
import { sanitize } from "../../output/text.ts";
import { PAGE } from "../page.ts";
import { defineTool } from "../tool.ts";

export const listProblems = defineTool({
  name: "list_problems",
  title: "List problems",
  description: "Lists the problems that accept submissions, with the targets (types of device) of each.",
  readOnly: true,
  input: z.strictObject({}),
  output: z.object({ problems: z.array(z.object({ name: z.string(), targets: z.array(z.string()) })) }),
  call: async (_, { client }) => {
    const problems = sanitize(await client.problems());
    return { data: { problems }, text: problemLines(problems, PAGE.width, PAGE.style).join("\n") };
  },
});
