/** `/leaderboard list`: the boards that accept submissions. */
import { problemEndsAt, hasProblem } from "@kernelbot/core";
import type { Viewer } from "../../../auth/visibility.ts";
import { listCompetitions } from "../../../competitions/competitions.ts";
import { listProblems } from "../../../problems/problems.ts";
import { viewerOf } from "../accounts.ts";
import type { Bot } from "../bot.ts";
import type { Command, Part, Reply } from "../command.ts";
import { pagerButtons, pageOf, table } from "../table.ts";

const ROWS = 15;

export const list: Command = {
  path: "leaderboard list",
  about: "List leaderboards that accept submissions",
  options: [],
  run: async ({ bot, context }) => page(bot, await viewerOf(bot, context.user), 0),
};

/** `list:PAGE` */
export const listPart: Part = async ({ bot, context }, [pageNumber = ""]) =>
  page(bot, await viewerOf(bot, context.user), Number(pageNumber));

async function page(bot: Bot, viewer: Viewer, pageNumber: number): Promise<Reply> {
  const rows = await listActiveBoards(bot, viewer);
  if (rows.length === 0) return { content: "No leaderboard accepts submissions at the moment." };
  const shown = pageOf(rows, pageNumber, ROWS);
  const lines = shown.rows.map(({ name, end, targets }) => [name, end, targets.join(", ")]);
  return {
    content: `**Active Leaderboards**\n${table(
      [
        ["Name", 48],
        ["Deadline (UTC)", 16],
        ["GPU Types", 46],
      ],
      lines,
    )}`,
    buttons: pagerButtons(shown, (number) => `list:${number}`),
  };
}

async function listActiveBoards({ database, clock }: Bot, viewer: Viewer) {
  const [problems, competitions] = await Promise.all([
    listProblems(database, viewer),
    listCompetitions(database, viewer),
  ]);
  return problems
    .filter(({ targets }) => targets.length > 0)
    .map(({ name, targets }) => {
      const competition = competitions.find((each) => hasProblem(each, name));
      return { name, targets, endsAt: competition === undefined ? null : problemEndsAt(competition, name) };
    })
    .filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > clock().getTime())
    .map((row) => ({ ...row, end: row.endsAt === null ? "–" : row.endsAt.slice(0, 16).replace("T", " ") }));
}
