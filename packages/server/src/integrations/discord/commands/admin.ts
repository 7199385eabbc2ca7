/** The `/admin …` commands. Each requires the same role as on the site and is recorded in the audit log. */
import { formatNs, KernelBotError, ProblemPrefix, type SyncOutcome } from "@kernelbot/core";
import { requireRole, type Identity } from "../../../auth/identity.ts";
import { setGate } from "../../../submissions/gate.ts";
import { ban, unban } from "../../../moderation/ban.ts";
import { removeAny } from "../../../moderation/remove.ts";
import { openProblem } from "../../../problems/open.ts";
import { retireProblem } from "../../../problems/retire.ts";
import { updateProblems } from "../../../problems/update.ts";
import { statistics } from "../../../operations/statistics.ts";
import { readRun, readSubmission } from "../../../submissions/views.ts";
import { callerOf, viewerOf } from "../accounts.ts";
import type { Bot } from "../bot.ts";
import { requireOption, type Call, type Command, type OptionSpec, type Part } from "../command.ts";
import { code, fenced, plain } from "../escape.ts";
import { BOARD, getBoardByName, getBoardByNumber } from "../find.ts";
import { listMessage } from "../fit-message.ts";
import { setChannels } from "../guilds.ts";
import { ButtonStyle } from "../protocol.ts";
import { submissionMessage, SUBMISSION } from "./submission-details.ts";

/** Public reason when none is given. */
const REASON = "by a moderator, at Discord";
const REASON_OPTION: OptionSpec = { name: "reason", about: "Reason; shown publicly", type: "text" };
/** The id of a button is limited to 100 characters, and contains the reason. */
const MAX_REASON_LENGTH = 70;
const FORCE: OptionSpec = { name: "force", about: "Apply even if the leaderboard has submissions", type: "truth" };
const CLOSED: OptionSpec = {
  name: "closed",
  about: "Make new problems visible only to members of a closed competition with the same name",
  type: "truth",
};
const USER: OptionSpec = { name: "user", about: "Discord user", type: "user" };
const ACCOUNT: OptionSpec = { name: "account", about: "Account name, for an account without Discord", type: "text" };

const callerIdentity = (call: Pick<Call, "bot" | "context">): Promise<Identity> =>
  callerOf(call.bot, call.context.user);

const GATE = {
  start: "Submissions are open.",
  stop: "Submissions are closed until `/admin start`. Accepted submissions continue.",
};

const gateCommand = (word: "start" | "stop"): Command => ({
  path: `admin ${word}`,
  about: word === "start" ? "Open submissions" : "Close submissions until /admin start; accepted submissions continue",
  options: [],
  async run(call) {
    await setGate(call.bot.database, await callerIdentity(call), word === "start");
    return { content: GATE[word] };
  },
});

const setChannelsCommand: Command = {
  path: "admin set-channels",
  about: "Set this server's channels; a channel that is left out is unset",
  options: [
    {
      name: "submissions",
      about: "Channel for submissions and announcements",
      type: "channel",
      channels: ["text"],
    },
    { name: "forum", about: "Forum with one post per leaderboard", type: "channel", channels: ["forum"] },
  ],
  async run(call) {
    const { bot, context, options } = call;
    if (context.guildId === null)
      throw new KernelBotError(
        "bad_request",
        "run this command in the Discord server to configure, not in direct messages",
      );
    const [submissions, forum] = [options.text("submissions") ?? null, options.text("forum") ?? null];
    const channels = { submissions_channel: submissions, forum_channel: forum };
    await setChannels(bot, await callerIdentity(call), context.guildId, channels);
    const words = (id: string | null, none: string): string => (id === null ? none : `<#${id}>`);
    return {
      content: `Submissions: ${words(submissions, "in any channel, without announcements")}. Forum: ${words(forum, "none")}.`,
    };
  },
};

const createLocal: Command = {
  path: "admin create-local",
  about: "Open a leaderboard from a directory of the server's problems",
  options: [{ name: "directory", about: "SET/PROBLEM", type: "text", required: true }, CLOSED],
  async run(call) {
    const { bot, options } = call;
    const directory = requireOption(options.text("directory"), "directory");
    const visibility = options.truth(CLOSED.name) ? "closed" : null;
    const name = await openProblem(bot.database, await callerIdentity(call), bot.problemsFolder, {
      directory,
      visibility,
    });
    return { content: `Leaderboard ${code(name)} is open.` };
  },
};

const deleteLeaderboard: Command = {
  path: "admin delete-leaderboard",
  about: "Close and hide a leaderboard; its results stay stored",
  options: [{ ...BOARD, required: true }, FORCE],
  run: async () => null,
  async confirm(call) {
    const identity = await callerIdentity(call);
    requireRole(identity, "organiser");
    const { name, number } = await getBoardByName(
      call.bot,
      identity,
      requireOption(call.options.text(BOARD.name), BOARD.name),
    );
    const id = `retire:${number}:${call.options.truth(FORCE.name) ? 1 : 0}`;
    return { id, title: "Delete a leaderboard", label: "Type its name", placeholder: name };
  },
};

/** `retire:BOARD:FORCE` with the typed name. */
const retirePart: Part = async (call, [number = "", force = ""], [typed = ""]) => {
  const identity = await callerIdentity(call);
  const { name } = await getBoardByNumber(call.bot, identity, number);
  if (typed.trim() !== name)
    throw new KernelBotError("bad_request", `the typed name differs from ${name}; nothing was changed`);
  await retireProblem(call.bot.database, identity, name, { force: force === "1" });
  return { content: `Leaderboard ${code(name)} no longer accepts submissions.` };
};

const deleteSubmission: Command = {
  path: "admin delete-submission",
  about: "Remove a submission from the leaderboards",
  options: [SUBMISSION, { ...REASON_OPTION, maxLength: MAX_REASON_LENGTH }],
  async run(call) {
    const { submission } = await getAnySubmission(call);
    const shown = await submissionMessage(call.bot, submission);
    return {
      ...shown,
      content: `Delete this submission?\n${shown.content}`,
      buttons: [
        {
          id: `delete:${submission.id}:${(call.options.text("reason") ?? "").slice(0, MAX_REASON_LENGTH).toWellFormed()}`,
          label: "Delete",
          style: ButtonStyle.danger,
        },
        { id: "keep", label: "Keep" },
      ],
    };
  },
};

/** `delete:ID:REASON` */
const deletePart: Part = async (call, [id = "", ...reason]) => {
  const number = /^\d{1,15}$/.test(id) ? Number(id) : 0;
  await removeAny(call.bot.database, await callerIdentity(call), number, { reason: reason.join(":") || REASON });
  return { content: `Submission ${number} was deleted.` };
};
const keepPart: Part = async () => ({ content: "The submission was kept." });

function parsePrefix(text: string | undefined): string | null {
  if (text === undefined) return null;
  const { data, error } = ProblemPrefix.safeParse(text);
  if (data !== undefined) return data;
  throw new KernelBotError("bad_request", `prefix: ${error.issues[0]?.message ?? ""}`);
}

const UPDATE_WORDS = {
  ...{ new: "created", changed: "updated", unchanged: "unchanged" },
  ...{ kept: "kept", refused: "refused", gone: "missing" },
} as const satisfies Record<SyncOutcome, string>;

const updateProblemsCommand: Command = {
  path: "admin update-problems",
  about: "Update problems from a GitHub repository",
  options: [
    { name: "repository_name", about: "OWNER/NAME (default: gpu-mode/reference-kernels)", type: "text" },
    { name: "problem_set", about: "Update only this problem set", type: "text" },
    { name: "branch", about: "Branch (default: main)", type: "text" },
    { name: "force", about: "Also update leaderboards that have submissions; requires problem_set", type: "truth" },
    { name: "prefix", about: "Text before the names of the problems", type: "text" },
    CLOSED,
  ],
  async run(call) {
    const { bot, options } = call;
    const force = options.truth("force");
    const problemSet = options.text("problem_set") ?? null;
    if (force && problemSet === null) throw new KernelBotError("bad_request", "force requires problem_set");
    const { problems, competitions } = await updateProblems(bot.database, await callerIdentity(call), bot.archives, {
      repository: options.text("repository_name") ?? "gpu-mode/reference-kernels",
      branch: options.text("branch") ?? "main",
      problemSet,
      force,
      visibility: options.truth(CLOSED.name) ? "closed" : null,
      prefix: parsePrefix(options.text("prefix")),
    });
    const counts = Object.entries(UPDATE_WORDS).map(
      ([outcome, word]) => `${problems.filter((each) => each.outcome === outcome).length} ${word}`,
    );
    const lines = [...problems, ...competitions.map((each) => ({ ...each, name: `competition ${each.name}` }))].map(
      ({ name, outcome, why }) => `${UPDATE_WORDS[outcome]} ${name}${why === null ? "" : `: ${why}`}`,
    );
    return listMessage(`Problems: ${counts.join(", ")}.`, lines, "problems.txt");
  },
};

const showStats: Command = {
  path: "admin show-stats",
  about: "Show submission counts and run times",
  options: [{ name: "last_day_only", about: "Only the last 24 hours", type: "truth" }, BOARD],
  async run(call) {
    const { bot, options } = call;
    const identity = await callerIdentity(call);
    requireRole(identity, "moderator");
    const boardName = options.text(BOARD.name);
    const board = boardName === undefined ? null : (await getBoardByName(bot, identity, boardName)).name;
    const figures = await statistics(bot.database, { board, lastDay: options.truth("last_day_only") });
    return {
      content: fenced(
        Object.entries(figures)
          .map(([key, value]) => `${key} = ${formatFigure(value)}`)
          .join("\n"),
      ),
    };
  },
};

/** Formats a figure. Durations are ISO 8601 in seconds. */
function formatFigure(value: number | string): string {
  const seconds = Number(/^PT([\d.]+)S$/.exec(String(value))?.[1] ?? NaN);
  if (Number.isNaN(seconds)) return String(value);
  if (seconds < 60) return formatNs(seconds * 1e9);
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const getSubmission: Command = {
  path: "admin get-submission",
  about: "Show any submission with its source and runs",
  options: [SUBMISSION],
  async run(call) {
    const { submission, runs } = await getAnySubmission(call);
    const shown = await submissionMessage(call.bot, submission);
    const file = { name: "runs.json", data: JSON.stringify(runs, null, 1) };
    return {
      content: `${shown.content}\nBy **${plain(submission.account.name)}**`,
      files: [...(shown.files ?? []), file],
    };
  },
};

/**
 * Returns any submission with its runs.
 * @throws KernelBotError `forbidden` for callers other than moderators; `not_found`.
 */
async function getAnySubmission(call: Call) {
  requireRole(await callerIdentity(call), "moderator");
  const id = requireOption(call.options.integer(SUBMISSION.name), SUBMISSION.name);
  const submission = await readSubmission(call.bot.database, id);
  if (submission === null) throw new KernelBotError("not_found", `submission ${id} does not exist`);
  const runs = await Promise.all(submission.runs.map((run) => readRun(call.bot.database, run.id)));
  return { submission, runs };
}

const banCommand = (word: "ban" | "unban"): Command => ({
  path: `admin ${word}`,
  about: word === "ban" ? "Ban an account: it can read, but not submit" : "Lift a ban",
  options: [USER, ACCOUNT, REASON_OPTION],
  async run(call) {
    const { bot, options } = call;
    const identity = await callerIdentity(call);
    requireRole(identity, "moderator");
    const account = await findAccountName(bot, options.text("user"), options.text("account"));
    const reason = options.text("reason") ?? REASON;
    const { bannedAt } = await (word === "ban" ? ban : unban)(bot.database, identity, { account, reason });
    return { content: `**${plain(account)}** is ${bannedAt === null ? "no longer banned" : "banned"}.` };
  },
});

async function findAccountName(bot: Bot, user: string | undefined, account: string | undefined): Promise<string> {
  if (account !== undefined) return account;
  if (user === undefined) throw new KernelBotError("bad_request", "set the option user or account");
  return (await viewerOf(bot, { id: user }))?.account.name ?? throwNoAccount();
}

function throwNoAccount(): never {
  throw new KernelBotError("not_found", "this Discord user has no account here");
}

const resync: Command = {
  path: "admin resync",
  about: "Register the bot's commands with Discord again",
  options: [],
  async run(call) {
    requireRole(await callerIdentity(call), "administrator");
    await call.bot.register();
    return { content: "The commands are registered; clients show them within a minute." };
  },
};

export const adminCommands: readonly Command[] = [
  gateCommand("start"),
  gateCommand("stop"),
  setChannelsCommand,
  createLocal,
  deleteLeaderboard,
  deleteSubmission,
  updateProblemsCommand,
  showStats,
  getSubmission,
  banCommand("ban"),
  banCommand("unban"),
  resync,
];

export const adminParts: Readonly<Record<string, Part>> = { retire: retirePart, delete: deletePart, keep: keepPart };
