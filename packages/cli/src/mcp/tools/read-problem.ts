import {
  caseLine,
  casesFor,
  MAX_SOURCE_BYTES,
  ProblemName,
  startersOf,
  statementOf,
  TargetName,
  sortedTargets,
} from "@kernelbot/core";
import { z } from "zod";
import { UsageError } from "../../command/exit.ts";
import { listed } from "../../output/text.ts";
import { addressOf } from "../resources.ts";
import { defineTool } from "../tool.ts";
import { excerpt } from "../untrusted.ts";

/** Maximum number of files and cases returned per problem; the rest is in its resources. */
const MAX_FILES = 8;
const MAX_CASES = 50;
const MAX_CASE_TEXT = 200;
const MAX_FILE_TEXT = 4000;

const File = z.object({ name: z.string(), text: z.string(), resource: z.string() });

export const readProblem = defineTool({
  name: "read_problem",
  title: "Read a problem",
  description:
    "Returns a problem: its statement, limits, the cases of a target, starter kernels, and its public files, such as the " +
    "reference. Long files are shortened in the middle; their resources are complete.",
  readOnly: true,
  input: z.strictObject({
    problem: ProblemName,
    target: TargetName.optional().describe("Target whose cases to return; the first target if omitted"),
  }),
  output: z.object({
    name: z.string(),
    version: z.string(),
    statement: z.string(),
    targets: z.array(z.string()),
    languages: z.array(z.string()),
    rankingBy: z.string(),
    timeoutsS: z.record(z.string(), z.number()),
    maxSourceBytes: z.int(),
    cases: z.object({ target: z.string(), tests: z.array(z.string()), benchmarks: z.array(z.string()) }),
    starters: z.array(File),
    files: z.array(File),
    filesLeftOut: z.array(z.string()).describe("Names of further files; each is a resource"),
  }),
  call: async ({ problem: name, target }, { client }) => {
    const problem = await client.problem(name);
    const { spec, files, version } = problem;
    const targets = sortedTargets(spec);
    const chosen = target ?? Object.keys(spec.targets)[0] ?? "";
    if (spec.harness === "imported") {
      throw new UsageError(`${name} was imported with its results and has no files to work with`);
    }
    if (!targets.includes(chosen)) throw new UsageError(`${name} has no target ${chosen}; it has ${listed(targets)}`);
    const { tests, benchmarks } = casesFor(spec, chosen);
    const statement = excerpt(statementOf(problem), 3 * MAX_FILE_TEXT);
    const starters = startersOf(problem)
      .slice(0, MAX_FILES)
      .map((starter) => ({
        name: starter.fileName,
        text: excerpt(starter.source, MAX_FILE_TEXT),
        resource: addressOf(name, "starters", starter.fileName),
      }));
    // Files already contained in the statement or the starters are omitted.
    const isIncluded = (file: string) =>
      file === "task.yml" || Object.values(spec.templates).includes(files[file] ?? "");
    const names = Object.keys(files).toSorted();
    const shown = names.filter((file) => !isIncluded(file)).slice(0, MAX_FILES);
    const data = {
      name: spec.name,
      version,
      statement,
      targets,
      languages: Object.keys(spec.languages),
      rankingBy: spec.rankingBy,
      timeoutsS: spec.timeoutsS,
      maxSourceBytes: MAX_SOURCE_BYTES,
      cases: {
        target: chosen,
        tests: tests.slice(0, MAX_CASES).map((each) => excerpt(caseLine(each), MAX_CASE_TEXT)),
        benchmarks: benchmarks.slice(0, MAX_CASES).map((each) => excerpt(caseLine(each), MAX_CASE_TEXT)),
      },
      starters,
      files: shown.map((file) => ({
        name: excerpt(file, 200),
        text: excerpt(files[file] ?? "", MAX_FILE_TEXT),
        resource: addressOf(name, "files", file),
      })),
      filesLeftOut: names
        .filter((file) => !shown.includes(file))
        .slice(0, MAX_CASES)
        .map((file) => excerpt(file, 200)),
    };
    const blocks = starters.map((starter) => `Starter ${starter.name}:\n\n${starter.text}`);
    const resources = data.files.map((file) => file.resource);
    return { data, text: [statement, ...blocks, `Files:\n${resources.join("\n")}`].join("\n\n") };
  },
});
