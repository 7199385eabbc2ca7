import {
  DEFAULT_RULE,
  deviceOf,
  EXTENSIONS,
  languageFor,
  LANGUAGES,
  ProblemName,
  RewardRule,
  sortedTargets,
  type Language,
  type Problem,
} from "@kernelbot/core";
import { join } from "node:path";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "@kernelbot/cli/src/command/command.ts";
import { EXIT, UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { connect } from "@kernelbot/cli/src/config/config.ts";
import { shippedSolution } from "./shipped-solution.ts";
import { taskDigest, taskFolder } from "./task-folder.ts";
import { writeFiles } from "@kernelbot/cli/src/init/write-files.ts";
import { jsonDocument } from "@kernelbot/cli/src/output/text.ts";

export const command = defineCommand({
  name: "export harbor",
  positionals: ["PROBLEM..."],
  options: {
    out: { type: "string", short: "o", value: "DIR", help: "Folder for the task folders (required)" },
    target: { type: "string", value: "TARGET", help: "Target to judge on; the problem's first one by default" },
    language: {
      type: "string",
      choices: LANGUAGES,
      help: "Language of the submission; Python by default, where the problem takes it",
    },
    rule: { type: "string", value: "RULE", default: DEFAULT_RULE, help: "Reward rule, by name and version" },
    organisation: { type: "string", value: "NAME", default: "kernelbot", help: "First part of the tasks' names" },
    problems: {
      type: "string",
      value: "DIR",
      help: "Folder of problem sets with solutions, such as problems/ of a clone",
    },
    force: { type: "boolean", short: "f", help: "Overwrite existing files" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Writes DIR/PROBLEM-TARGET for each problem and prints its digest. The verifier runs in a container of its own and asks " +
      "the server for the reward, so that the agent cannot write one. Set KERNELBOT_TOKEN for harbor run to a token " +
      "with the scopes submit and read.",
    "A solution for the oracle agent is taken from --problems: the first fast_*, else the first correct*.",
  ],
  run: async ({ out, target, language, rule, organisation, problems, force, json, server: serverOption }, names) => {
    if (out === undefined) throw new UsageError("--out DIR is required");
    if (!RewardRule.safeParse(rule).success) {
      throw new UsageError(`--rule: unknown reward rule ${JSON.stringify(rule)}; use one such as ${DEFAULT_RULE}`);
    }
    if (!/^[A-Za-z0-9][\w.-]*$/.test(organisation)) {
      throw new UsageError(`--organisation: use letters, digits, -, _ and ., not ${JSON.stringify(organisation)}`);
    }
    const { client, server } = await connect(serverOption);
    const tasks: { folder: string; digest: string; solution: boolean }[] = [];
    for (const name of names) {
      if (!ProblemName.safeParse(name).success) throw new UsageError(`${JSON.stringify(name)} is not a problem's name`);
      const problem = await client.problem(name);
      const chosen = choose(problem, target, language);
      const solution = problems === undefined ? null : await shippedSolution(problems, name, chosen.language);
      const files = taskFolder(problem, { ...chosen, server, organisation, rule, solution });
      const folder = join(out, `${name}-${chosen.target}`);
      await writeFiles(folder, files, force);
      tasks.push({ folder, digest: `sha256:${taskDigest(files)}`, solution: solution !== null });
    }
    process.stdout.write(
      json ? `${jsonDocument({ tasks })}\n` : tasks.map(({ folder, digest }) => `${folder}  ${digest}\n`).join(""),
    );
    return EXIT.passed;
  },
});

/** Returns the target and the language of a task. @throws UsageError if the problem does not have them. */
function choose(
  { spec }: Problem,
  target: string | undefined,
  language: Language | undefined,
): { target: string; language: Language } {
  if (spec.harness === "imported") throw new UsageError(`${spec.name} was imported with its results; it cannot judge`);
  const chosen = target ?? Object.keys(spec.targets)[0] ?? "";
  if (!Object.hasOwn(spec.targets, chosen))
    throw new UsageError(`${spec.name} has no target ${chosen}; it has ${sortedTargets(spec).join(", ")}`);
  const usual = spec.languages.py !== undefined ? "py" : deviceOf(chosen) === "cpu" ? "cpp" : "cu";
  const [extension] = EXTENSIONS[language ?? usual];
  return { target: chosen, language: languageFor(spec, `submission${extension}`, [chosen]) };
}
