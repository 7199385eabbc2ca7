/** `/leaderboard task`: the files of a problem; `/leaderboard template`: a starter file. */
import { KernelBotError, quote, startersOf, type Starter } from "@kernelbot/core";
import { readProblemDetail } from "../../../boards/problem.ts";
import { viewerOf } from "../accounts.ts";
import { requireOption, type Command } from "../command.ts";
import { code } from "../escape.ts";
import { BOARD, getBoardByName, filterNames } from "../find.ts";

/** Discord accepts ten files per message. */
const MOST_FILES = 10;

export const task: Command = {
  path: "leaderboard task",
  about: "Show a problem's reference code and cases",
  options: [{ ...BOARD, required: true }],
  async run({ bot, context, options }) {
    const viewer = await viewerOf(bot, context.user);
    const { name, problem } = await getBoardByName(bot, viewer, requireOption(options.text(BOARD.name), BOARD.name));
    const files = Object.entries(problem.files).map(([path, data]) => ({ name: path.replaceAll("/", "_"), data }));
    const left = files.length - MOST_FILES;
    const more = left > 0 ? `\n${left} more files are on the problem's page.` : "";
    return {
      content: `**Reference Code for ${code(name)}**\n<${bot.publicUrl}/problems/${name}>${more}`,
      files: files.slice(0, MOST_FILES),
    };
  },
};

const LANG = "lang";

export const template: Command = {
  path: "leaderboard template",
  about: "Download a starter file",
  options: [
    { ...BOARD, required: true },
    {
      name: LANG,
      about: "Language of the template",
      type: "text",
      required: true,
      async propose({ bot, context, options }, typed) {
        const viewer = await viewerOf(bot, context.user);
        const { problem } = await getBoardByName(bot, viewer, requireOption(options.text(BOARD.name), BOARD.name));
        return filterNames(
          startersOf(problem).map(({ name }) => name),
          typed,
        );
      },
    },
  ],
  async run({ bot, context, options }) {
    const viewer = await viewerOf(bot, context.user);
    const { name, problem } = await getBoardByName(bot, viewer, requireOption(options.text(BOARD.name), BOARD.name));
    const language = requireOption(options.text(LANG), LANG);
    const starters = startersOf(problem);
    const starter = starters.find((each) => each.name.toLowerCase() === language.toLowerCase());
    if (starter === undefined) {
      const there = starters.map((each) => each.name).join(", ") || "none";
      throw new KernelBotError("not_found", `${name} has no template ${quote(language)}; it has ${there}`);
    }
    const detail = await readProblemDetail(bot.database, viewer, name);
    const about = { description: problem.spec.description, closesAt: detail?.closesAt ?? null };
    const targets = detail?.openTargets ?? [];
    const ending = starter.fileName.slice(starter.fileName.lastIndexOf("."));
    return {
      content: `Write your kernel in this file and submit it with \`/leaderboard submit\`.`,
      files: [{ name: `${name}${ending}`, data: addHeader(starter, { ...about, targets }) }],
    };
  },
};

interface StarterDetails {
  description: string;
  closesAt: string | null;
  targets: readonly string[];
}

/**
 * Returns the starter with description, deadline and targets in its head. The board directive is rewritten to the
 * `#!POPCORN` form of the bot's commands.
 */
function addHeader({ language, source }: Starter, { description, closesAt, targets }: StarterDetails): string {
  const mark = language === "py" ? "#" : "//";
  const [gpu = "GPU"] = targets;
  const [directive = "", ...rest] = source.split("\n");
  const lines = [
    directive.replace(/KERNELBOT board(?= )/, "POPCORN leaderboard"),
    ...description
      .trim()
      .split("\n")
      .map((line) => `${mark} > ${line}`.trimEnd()),
    ...(closesAt === null ? [] : [`${mark} Deadline: ${closesAt.slice(0, 16).replace("T", " ")} UTC`]),
    `${mark} It runs on: ${targets.join(", ")}. To choose in the file, write a line: ${mark}!POPCORN gpu ${gpu}`,
    `${mark} Happy hacking!`,
    ...rest,
  ];
  return lines.join("\n");
}
