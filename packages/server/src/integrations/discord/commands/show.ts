/**
 * `/leaderboard show`: the ranking, one message per GPU; `/leaderboard show-personal`: the caller's own ranked runs.
 */
import { compareTargets, entrantName, formatRankingValue, rankKey, type Submission } from "@kernelbot/core";
import { readBoard } from "../../../boards/boards.ts";
import type { Viewer } from "../../../auth/visibility.ts";
import { listSubmissions } from "../../../submissions/views.ts";
import { callerOf, viewerOf } from "../accounts.ts";
import type { Bot } from "../bot.ts";
import { requireOption, type Command, type Part, type Reply } from "../command.ts";
import { code, formatTimestamp } from "../escape.ts";
import { BOARD, getBoardByName, getBoardByNumber, getTargets, type FoundProblem } from "../find.ts";
import type { Message } from "../protocol.ts";
import { pagerButtons, pageOf, table } from "../table.ts";

const ROWS = 20;
const MOST_OWN = 100;

export const show: Command = {
  path: "leaderboard show",
  about: "Show the ranking of a leaderboard",
  options: [{ ...BOARD, required: true }],
  async run({ bot, context, options }) {
    const viewer = await viewerOf(bot, context.user);
    const board = await getBoardByName(bot, viewer, requireOption(options.text(BOARD.name), BOARD.name));
    const [only, ...others] = board.targets;
    if (only !== undefined && others.length === 0) return ranking(bot, viewer, board, only, 0);
    return {
      content: `Please select the GPU(s) for leaderboard: ${code(board.name)}.`,
      menu: { id: `show:${board.number}`, placeholder: "GPUs", options: board.targets },
    };
  },
};

/** `show:BOARD` with the chosen targets. */
export const showPart: Part = async ({ bot, context }, [number = ""], chosen) => {
  const viewer = await viewerOf(bot, context.user);
  const board = await getBoardByNumber(bot, viewer, number);
  const targets = getTargets(board, chosen);
  const [first = { content: "No GPU was chosen." }, ...more] = await Promise.all(
    targets.map((target) => ranking(bot, viewer, board, target, 0)),
  );
  return { ...first, more };
};

/** `board:BOARD:TARGET:PAGE` */
export const boardPart: Part = async ({ bot, context }, [number = "", target = "", page = ""]) => {
  const viewer = await viewerOf(bot, context.user);
  return ranking(bot, viewer, await getBoardByNumber(bot, viewer, number), target, Number(page));
};

async function ranking(
  { database, publicUrl }: Bot,
  viewer: Viewer,
  { name, number }: FoundProblem,
  target: string,
  pageNumber: number,
): Promise<Message> {
  const { rows, freeze } = await readBoard(database, viewer, name, target);
  const head = `**Leaderboard Submissions for ${code(name)} on ${code(target)}**`;
  const notes = [
    ...(freeze === null ? [] : [`The board is frozen until ${formatTimestamp(freeze.until)}.`]),
    ...(rows.some(({ unsandboxed }) => unsandboxed)
      ? ["Some entries were judged without a sandbox, so their results cannot be trusted."]
      : []),
    `<${publicUrl}/boards/${name}/${target}>`,
  ];
  if (rows.length === 0) {
    const none = `There are currently no submissions for leaderboard ${code(name)}.`;
    return { content: [head, none, ...notes].join("\n") };
  }
  const page = pageOf(rows, pageNumber, ROWS);
  const lines = page.rows.map((row) => [String(row.rank), entrantName(row), formatRankingValue(row), row.fileName]);
  const columns = [
    ["Rank", 4],
    ["User", 24],
    ["Score", 11],
    ["Submission Name", 24],
  ] as const;
  return {
    content: `${head}\n${table(columns, lines)}\n${notes.join("\n")}`,
    buttons: pagerButtons(page, (at) => `board:${number}:${target}:${at}`),
  };
}

export const showPersonal: Command = {
  path: "leaderboard show-personal",
  about: "Show your ranked submissions on a leaderboard",
  options: [{ ...BOARD, required: true }],
  async run({ bot, context, options }): Promise<Reply> {
    const identity = await callerOf(bot, context.user);
    const { name } = await getBoardByName(bot, identity, requireOption(options.text(BOARD.name), BOARD.name));
    const page = { board: name, mode: "ranked" as const, outcome: "passed" as const, limit: MOST_OWN };
    const runs = ownRuns(await listSubmissions(bot.database, identity, page));
    if (runs.length === 0) return { content: `You have no ranked submissions on leaderboard ${code(name)} yet.` };
    const targets = [...new Set(runs.map(({ target }) => target))].toSorted(compareTargets);
    const now = bot.clock();
    const [first = { content: "" }, ...more] = targets.map((target): Message => {
      const own = runs.filter((run) => run.target === target).slice(0, ROWS);
      const lines = own.map((run, index) => [
        String(index + 1),
        String(run.id),
        formatRankingValue(run.score),
        run.fileName,
        formatTime(run.at, now),
      ]);
      const columns = [
        ["Rank", 4],
        ["ID", 9],
        ["Score", 11],
        ["Submission Name", 32],
        ["Time (UTC)", 10],
      ] as const;
      return { content: `**Your submissions to ${code(name)} on ${code(target)}**\n${table(columns, lines)}` };
    });
    return { ...first, more };
  },
};

function ownRuns(submissions: readonly Submission[]) {
  return submissions
    .filter(({ removed }) => removed === null)
    .flatMap(({ id, fileName, createdAt, runs }) =>
      runs.flatMap(({ target, verdict, score, rerun }) =>
        rerun > 0 || verdict !== "passed" || score === null ? [] : [{ id, fileName, target, score, at: createdAt }],
      ),
    )
    .toSorted((a, b) => rankKey(a.score).value - rankKey(b.score).value);
}

/** Formats the time of day within 24 hours, otherwise the date. */
function formatTime(iso: string, now: Date): string {
  return now.getTime() - Date.parse(iso) < 86_400_000 ? iso.slice(11, 19) : iso.slice(2, 10);
}
