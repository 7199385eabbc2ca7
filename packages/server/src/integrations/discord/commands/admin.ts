/** The `/admin …` commands. Each requires the same role as on the site and is recorded in the audit log. */
import { formatNs, KernelBotError } from "@kernelbot/core";
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
import { needed, type Call, type Command, type OptionSpec, type Part } from "../command.ts";
import { code, fenced, plain } from "../escape.ts";
import { BOARD, boardNamed, boardNumbered } from "../find.ts";
import { listing } from "../fitting.ts";
import { setChannels } from "../guilds.ts";
import { ButtonStyle } from "../protocol.ts";
import { submissionMessage, SUBMISSION } from "./own.ts";

/** Public reason when none is given. */
const REASON = "by a moderator, at Discord";
const REASON_OPTION: OptionSpec = { name: "reason", about: "Why; it is public", type: "text" };
/** The id of a button is limited to 100 characters, and contains the reason. */
const MOST_REASON = 70;
const FORCE: OptionSpec = { name: "force", about: "Also where there are submissions", type: "truth" };
const CLOSED: OptionSpec = {
  name: "closed",
  about: "Only members see a new problem: it gets a closed competition of its name",
  type: "truth",
};
const USER: OptionSpec = { name: "user", about: "Whose account", type: "user" };
const ACCOUNT: OptionSpec = { name: "account", about: "Its name here, where it is not of Discord", type: "text" };

const as = (call: Pick<Call, "bot" | "asker">): Promise<Identity> => callerOf(call.bot, call.asker.user);

const GATE = {
  start: "Submissions are taken.",
  stop: "No submissions are taken until `/admin start`. What was accepted goes on.",
};

const gate = (word: "start" | "stop"): Command => ({
  path: `admin ${word}`,
  about: word === "start" ? "Take submissions again" : "Take no submissions until start; what was accepted goes on",
  options: [],
  async run(call) {
    await setGate(call.bot.database, await as(call), word === "start");
    return { content: GATE[word] };
  },
});

const setChannelsCommand: Command = {
  path: "admin set-channels",
  about: "Where the bot speaks in this server; what is left out is not used",
  options: [
    {
      name: "submissions",
      about: "Where submissions are taken and news are told",
      type: "channel",
      channels: ["text"],
    },
    { name: "forum", about: "The forum that gets a post for each leaderboard", type: "channel", channels: ["forum"] },
  ],
  async run(call) {
    const { bot, asker, given } = call;
    if (asker.guildId === null)
      throw new KernelBotError("bad_request", "this is to be said in the server that it is for");
    const [submissions, forum] = [given.text("submissions") ?? null, given.text("forum") ?? null];
    const channels = { submissions_channel: submissions, forum_channel: forum };
    await setChannels(bot, await as(call), asker.guildId, channels);
    const words = (id: string | null, none: string): string => (id === null ? none : `<#${id}>`);
    return {
      content: `Submissions: ${words(submissions, "anywhere, and no news")}. Forum: ${words(forum, "none")}.`,
    };
  },
};

const createLocal: Command = {
  path: "admin create-local",
  about: "Open the leaderboard of a directory of the server's own problems",
  options: [{ name: "directory", about: "SET/PROBLEM", type: "text", required: true }, CLOSED],
  async run(call) {
    const { bot, given } = call;
    const directory = needed(given.text("directory"), "directory");
    const visibility = given.truth(CLOSED.name) ? "closed" : null;
    const name = await openProblem(bot.database, await as(call), bot.problemsFolder, { directory, visibility });
    return { content: `Leaderboard ${code(name)} is open.` };
  },
};

const deleteLeaderboard: Command = {
  path: "admin delete-leaderboard",
  about: "Take a leaderboard away; its results stay stored",
  options: [{ ...BOARD, required: true }, FORCE],
  run: async () => null,
  async confirm(call) {
    const identity = await as(call);
    requireRole(identity, "organiser");
    const { name, number } = await boardNamed(call.bot, identity, needed(call.given.text(BOARD.name), BOARD.name));
    const id = `retire:${number}:${call.given.truth(FORCE.name) ? 1 : 0}`;
    return { id, title: "Delete a leaderboard", label: "Type its name", placeholder: name };
  },
};

/** `retire:BOARD:FORCE` with the typed name. */
const retirePart: Part = async (call, [number = "", force = ""], [typed = ""]) => {
  const identity = await as(call);
  const { name } = await boardNumbered(call.bot, identity, number);
  if (typed.trim() !== name) throw new KernelBotError("bad_request", `that is not its name, ${name}: nothing was done`);
  await retireProblem(call.bot.database, identity, name, { force: force === "1" });
  return { content: `Leaderboard ${code(name)} takes no submissions any more.` };
};

const deleteSubmission: Command = {
  path: "admin delete-submission",
  about: "Take a submission off the leaderboards",
  options: [SUBMISSION, { ...REASON_OPTION, maxLength: MOST_REASON }],
  async run(call) {
    const { submission } = await anySubmission(call);
    const shown = await submissionMessage(call.bot, submission);
    return {
      ...shown,
      content: `Delete this submission?\n${shown.content}`,
      buttons: [
        {
          id: `delete:${submission.id}:${(call.given.text("reason") ?? "").slice(0, MOST_REASON).toWellFormed()}`,
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
  await removeAny(call.bot.database, await as(call), number, { reason: reason.join(":") || REASON });
  return { content: `Submission ${number} was deleted.` };
};
const keepPart: Part = async () => ({ content: "It was kept." });

const updateProblemsCommand: Command = {
  path: "admin update-problems",
  about: "Take the problems of a repository at GitHub",
  options: [
    { name: "repository_name", about: "OWNER/NAME; default gpu-mode/reference-kernels", type: "text" },
    { name: "problem_set", about: "This set alone", type: "text" },
    { name: "branch", about: "Default main", type: "text" },
    { name: "force", about: "Also leaderboards that have submissions; name a set", type: "truth" },
    CLOSED,
  ],
  async run(call) {
    const { bot, given } = call;
    const force = given.truth("force");
    const problemSet = given.text("problem_set") ?? null;
    if (force && problemSet === null)
      throw new KernelBotError("bad_request", "force: name the problem_set that is meant");
    const { problems, kept, broken } = await updateProblems(bot.database, await as(call), bot.archives, {
      repository: given.text("repository_name") ?? "gpu-mode/reference-kernels",
      branch: given.text("branch") ?? "main",
      problemSet,
      force,
      visibility: given.truth(CLOSED.name) ? "closed" : null,
    });
    const found = {
      created: problems.filter(({ created }) => created).map(({ name }) => name),
      updated: problems.filter(({ created, changed }) => changed && !created).map(({ name }) => name),
      unchanged: problems.filter(({ changed }) => !changed).map(({ name }) => name),
      kept: kept.map(({ name, message }) => `${name}: ${message}`),
      broken: broken.map(({ path, message }) => `${path.split("/").at(-1)}: ${message}`),
    };
    const counts = Object.entries(found).map(([what, names]) => `${names.length} ${what}`);
    const lines = Object.entries(found).flatMap(([what, names]) => names.map((name) => `${what} ${name}`));
    return listing(`Problems: ${counts.join(", ")}.`, lines, "problems.txt");
  },
};

const showStats: Command = {
  path: "admin show-stats",
  about: "How much is submitted, and how long it takes",
  options: [{ name: "last_day_only", about: "The last 24 hours", type: "truth" }, BOARD],
  async run(call) {
    const { bot, given } = call;
    const identity = await as(call);
    requireRole(identity, "moderator");
    const asked = given.text(BOARD.name);
    const board = asked === undefined ? null : (await boardNamed(bot, identity, asked)).name;
    const figures = await statistics(bot.database, { board, lastDay: given.truth("last_day_only") });
    return {
      content: fenced(
        Object.entries(figures)
          .map(([key, value]) => `${key} = ${figure(value)}`)
          .join("\n"),
      ),
    };
  },
};

/** Formats a figure. Durations are ISO 8601 in seconds. */
function figure(value: number | string): string {
  const seconds = Number(/^PT([\d.]+)S$/.exec(String(value))?.[1] ?? NaN);
  if (Number.isNaN(seconds)) return String(value);
  if (seconds < 60) return formatNs(seconds * 1e9);
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const getSubmission: Command = {
  path: "admin get-submission",
  about: "Any submission, with its code and its runs",
  options: [SUBMISSION],
  async run(call) {
    const { submission, runs } = await anySubmission(call);
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
async function anySubmission(call: Call) {
  requireRole(await as(call), "moderator");
  const id = needed(call.given.integer(SUBMISSION.name), SUBMISSION.name);
  const submission = await readSubmission(call.bot.database, id);
  if (submission === null) throw new KernelBotError("not_found", `there is no submission ${id}`);
  const runs = await Promise.all(submission.runs.map((run) => readRun(call.bot.database, run.id)));
  return { submission, runs };
}

const banning = (word: "ban" | "unban"): Command => ({
  path: `admin ${word}`,
  about: word === "ban" ? "Let an account read and do nothing else" : "End a ban",
  options: [USER, ACCOUNT, REASON_OPTION],
  async run(call) {
    const { bot, given } = call;
    const identity = await as(call);
    requireRole(identity, "moderator");
    const account = await accountMeant(bot, given.text("user"), given.text("account"));
    const reason = given.text("reason") ?? REASON;
    const { bannedAt } = await (word === "ban" ? ban : unban)(bot.database, identity, { account, reason });
    return { content: `**${plain(account)}** is ${bannedAt === null ? "not banned any more" : "banned"}.` };
  },
});

async function accountMeant(bot: Bot, user: string | undefined, account: string | undefined): Promise<string> {
  if (account !== undefined) return account;
  if (user === undefined) throw new KernelBotError("bad_request", "name a user or an account");
  return (await viewerOf(bot, { id: user }))?.account.name ?? noAccount();
}

function noAccount(): never {
  throw new KernelBotError("not_found", "this Discord account has no account here");
}

const resync: Command = {
  path: "admin resync",
  about: "Tell Discord the bot's commands again",
  options: [],
  async run(call) {
    requireRole(await as(call), "administrator");
    await call.bot.register();
    return { content: "Discord knows the commands; it may take a minute until all see them." };
  },
};

export const adminCommands: readonly Command[] = [
  gate("start"),
  gate("stop"),
  setChannelsCommand,
  createLocal,
  deleteLeaderboard,
  deleteSubmission,
  updateProblemsCommand,
  showStats,
  getSubmission,
  banning("ban"),
  banning("unban"),
  resync,
];

export const adminParts: Readonly<Record<string, Part>> = { retire: retirePart, delete: deletePart, keep: keepPart };
