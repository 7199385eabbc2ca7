/**
 * Submissions from Discord, each processed from a stored row. States of a row:
 *
 *     asking --targets--> accepting --accepted--> following --reported--> done
 *       |                     |                       |
 *       +--deleted            +--rejected--> refused  +--no channel to report in--> lost
 *
 * The row is written before the submission is made, with an idempotency key, so that a crash in between neither loses
 * the file nor submits it twice. Messages follow the event log of the submission, which never waits for them.
 */
import { createHash } from "node:crypto";
import { sql, type Selectable, type Updateable } from "kysely";
import { isFinished, KernelBotError, SubmitRequest, type Mode, type Submission } from "@kernelbot/core";
import { DatabaseUnavailable } from "../../db/retry.ts";
import type { Tables } from "../../db/tables.ts";
import { idempotent } from "../../db/idempotent.ts";
import { runTransaction } from "../../db/transaction.ts";
import { submit } from "../../submissions/submit.ts";
import { readRun, readSubmission } from "../../submissions/views.ts";
import { callerOf } from "./accounts.ts";
import { announcementOf } from "./announce.ts";
import { artifactFiles } from "./artifact-files.ts";
import type { Bot } from "./bot.ts";
import { warning } from "./escape.ts";
import { guildOf } from "./guilds.ts";
import { LEASE_MS, claimRow, postpone, release } from "./row-leases.ts";
import { requestedRuns, isThreadOf, formatProgress, formatReport, threadName } from "./progress.ts";
import type { Message } from "./protocol.ts";
import { DiscordError, isRefused } from "./discord-error.ts";

/** Minimum interval between edits of a message, in milliseconds. */
const CALM_MS = 1500;
/** Interval at which queue positions are updated, in milliseconds. */
const QUEUE_MS = 15_000;

/** How long an interaction token is used: Discord accepts it for 15 minutes, less 20 s of margin. */
export const TOKEN_MS = 15 * 60_000 - 20_000;
/** How long the first response may take to reach Discord, in milliseconds. */
const YOUNG_MS = 5000;

type Row = Selectable<Tables["discord_submission"]>;
/** The work on one row; `row` is its current state. */
interface Work {
  bot: Bot;
  row: Row;
}

/**
 * Leases the row that has been due longest and has a submission to make, new events to report or a queue position to
 * update.
 */
export function claimSubmission({ database }: Bot, now: Date): Promise<Row | undefined> {
  return claimRow(database, "discord_submission", now, {
    // `tries` is above 0 when the previous try failed.
    where: sql`(due.state = 'accepting' or due.state = 'following' and (due.refresh_at <= ${now} or due.tries > 0
      or exists (select from submission s where s.id = due.submission_id and s.last_event > due.last_event)))`,
  });
}

/** Does the pending work of a row, and releases it. */
export async function processSubmission(bot: Bot, claimed: Row): Promise<void> {
  const work: Work = { bot, row: claimed };
  try {
    if (work.row.state === "accepting") await acceptSubmission(work);
    if (work.row.state === "following") await sendUpdates(work);
    await release(bot.database, "discord_submission", work.row, new Date(bot.clock().getTime() + CALM_MS));
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const again = await postpone(bot.database, "discord_submission", work.row, error, bot.clock());
    if (!again) await updateRow(work, { ...ENDED[work.row.state], token: null });
  }
}

/** Final state of a row when its user cannot be notified. */
const ENDED: Partial<Record<Row["state"], Updateable<Tables["discord_submission"]>>> = {
  accepting: { state: "refused", source: null },
  following: { state: "lost" },
};

/** Thrown when another server has claimed the row, so that this server's state is outdated. */
class LeaseLost extends Error {}

async function updateRow(work: Work, set: Updateable<Tables["discord_submission"]>): Promise<void> {
  const { bot, row } = work;
  const changed = await idempotent(bot.database.db)
    .updateTable("discord_submission")
    .set({ lease_until: new Date(bot.clock().getTime() + LEASE_MS), ...set })
    .where("id", "=", row.id)
    .where("lease_number", "=", row.lease_number)
    .returningAll()
    .executeTakeFirst();
  if (changed === undefined) throw new LeaseLost();
  work.row = changed;
}

async function acceptSubmission(work: Work): Promise<void> {
  const { bot, row } = work;
  try {
    const { submission } = await submit(bot.database, await callerOf(bot, { id: row.user_id }), requestOf(row), {
      ownKey: `discord ${row.interaction_id}`,
    });
    await updateRow(work, { state: "following", submission_id: submission.id, source: null });
  } catch (error) {
    // After a database error it is unknown whether the submission was stored, so the row is retried.
    if (!(error instanceof KernelBotError) || error.code === "internal" || error instanceof DatabaseUnavailable)
      throw error;
    const message = { content: warning(error.message) };
    if (!(await editPrivateResponse(work, message.content))) {
      await bot.api.post(await bot.api.directMessages(row.user_id), message, `n${row.id}`);
    }
    await updateRow(work, { state: "refused", source: null, token: null });
  }
}

/**
 * Converts a row to a request.
 * @throws KernelBotError `unprocessable` when the row is not a valid request, for example because of its file name.
 */
function requestOf({ board, targets, mode, file_name: fileName, source }: Row): SubmitRequest {
  const read = SubmitRequest.safeParse({ board, targets, mode: mode satisfies Mode, fileName, source });
  if (read.success) return read.data;
  throw new KernelBotError("unprocessable", read.error.issues.map(({ message }) => message).join("; "));
}

/**
 * Updates the messages to the stored state. If Discord refuses one of them, the others are still sent: the private
 * response and the public announcement.
 */
async function sendUpdates(work: Work): Promise<void> {
  const { bot } = work;
  const submission = await readSubmission(bot.database, work.row.submission_id ?? 0);
  if (submission === null) throw new Error(`submission ${work.row.submission_id} no longer exists`);
  if (!isFinished(submission)) {
    await refusalOf(sendProgress(work, submission));
    const isWaiting = submission.runs.some(({ state }) => state === "queued");
    const refreshAt = isWaiting ? new Date(bot.clock().getTime() + QUEUE_MS) : null;
    return updateRow(work, { last_event: submission.lastEvent, refresh_at: refreshAt });
  }
  const refusals = [await refusalOf(sendReport(work, submission)), await refusalOf(sendProgress(work, submission))];
  await finishRow(work, submission);
  const refusal = refusals.find((each) => each !== null);
  if (refusal !== undefined) throw refusal;
}

/** Returns the error when Discord refuses a message; null when it was sent. */
async function refusalOf(saying: Promise<void>): Promise<DiscordError | null> {
  try {
    await saying;
    return null;
  } catch (error) {
    if (isRefused(error)) return error;
    throw error;
  }
}

async function sendProgress(work: Work, submission: Submission): Promise<void> {
  const { bot } = work;
  const content = formatProgress(submission, bot.publicUrl, work.row.report_channel_id, bot.clock());
  const hash = createHash("sha256").update(content).digest("hex");
  if (work.row.progress_hash === hash) return;
  if (!(await editPrivateResponse(work, content))) await sendProgressToChannel(work, submission, content);
  await updateRow(work, { progress_hash: hash });
}

/** Edits the private response. @returns false when the token has expired or is rejected. */
async function editPrivateResponse(work: Work, content: string): Promise<boolean> {
  const { bot, row } = work;
  if (row.token === null) return false;
  if (row.token_until > bot.clock()) {
    try {
      await bot.api.editReply(row.token, { content });
      return true;
    } catch (error) {
      if (!(error instanceof DiscordError) || error.kind === "temporary") throw error;
      // Until the first response has reached Discord, Discord reports an unknown message.
      const ageMs = bot.clock().getTime() - (row.token_until.getTime() - TOKEN_MS);
      if (ageMs < YOUNG_MS && row.tries < 3) {
        throw new DiscordError("temporary", error.message, { status: error.status });
      }
    }
  }
  await updateRow(work, { token: null });
  return false;
}

async function sendProgressToChannel(work: Work, submission: Submission, content: string): Promise<void> {
  const place = await getReportChannel(work, submission);
  const { bot, row } = work;
  if (row.progress_id !== null && (await bot.api.edit(place, row.progress_id, { content }))) return;
  const nonce = `p${row.id}.${row.progress_id ?? ""}`.slice(0, 25);
  await updateRow(work, { progress_id: await bot.api.post(place, { content }, nonce) });
}

/**
 * Returns the channel for the report: a private thread, created on first use; when none can be created, the user's
 * direct messages.
 */
async function getReportChannel(work: Work, submission: Submission): Promise<string> {
  const { row } = work;
  if (row.report_channel_id !== null) return row.report_channel_id;
  const place = row.guild_id === null ? row.channel_id : await getThread(work, row.guild_id, submission);
  await updateRow(work, { report_channel_id: place });
  return place;
}

async function getThread({ bot, row }: Work, guild: string, submission: Submission): Promise<string> {
  try {
    // A thread that was created by a server that ended before it stored the id is found by its name.
    const isIt = (name: string) => isThreadOf(submission, name);
    const known = row.tries > 1 ? await bot.api.findThread(guild, row.channel_id, isIt) : null;
    if (known !== null) await renameThread(bot, known, submission);
    const thread = known ?? (await bot.api.startPrivateThread(row.channel_id, threadName(submission)));
    await bot.api.addToThread(thread, row.user_id);
    return thread;
  } catch (error) {
    if (!isRefused(error)) throw error;
    bot.database.log(
      `Discord: creating a thread in ${row.channel_id} failed, submission ${submission.id} is reported by direct message: ${error.message}`,
    );
    return bot.api.directMessages(row.user_id);
  }
}

/** Posts the report of each run, then a link to the submission's page. */
async function sendReport(work: Work, submission: Submission): Promise<void> {
  const { bot } = work;
  const runs = requestedRuns(submission).filter(({ state }) => state === "done");
  // Cancelled runs have no report.
  if (runs.length === 0) return;
  const began = work.row.report_channel_id !== null;
  const place = await getReportChannel(work, submission);
  // The name of a thread that was created during the run says that the submission is running.
  if (began && work.row.reported === 0 && work.row.guild_id !== null) await renameThread(work.bot, place, submission);
  for (const [index, summary] of runs.entries()) {
    if (index < work.row.reported) continue;
    const run = await readRun(bot.database, summary.id);
    if (run === null) continue;
    await bot.api.post(place, withFiles(formatReport(run), await artifactFiles(bot, run)), `r${work.row.id}.${index}`);
    await updateRow(work, { reported: index + 1 });
  }
  if (work.row.reported > runs.length) return;
  const content = `See results at <${bot.publicUrl}/submissions/${submission.id}>`;
  await bot.api.post(place, { content }, `r${work.row.id}.end`);
  await updateRow(work, { reported: runs.length + 1 });
}

async function renameThread(bot: Bot, thread: string, submission: Submission): Promise<void> {
  await bot.api.changeThread(thread, { name: threadName(submission) }).catch((error: unknown) => {
    // Direct messages have no name, and a failed renaming is not worth a retry.
    if (!(error instanceof DiscordError)) throw error;
  });
}

function withFiles(message: Message, files: NonNullable<Message["files"]>): Message {
  return files.length === 0 ? message : { ...message, files: [...(message.files ?? []), ...files] };
}

/** Ends the row and stores the public announcement in one transaction. */
async function finishRow(work: Work, submission: Submission): Promise<void> {
  const { bot, row } = work;
  const content = await announcementOf(bot, submission, row.user_id);
  const channel = (await guildOf(bot, row.guild_id))?.submissions_channel ?? row.channel_id;
  await runTransaction(idempotent(bot.database.db), async (transaction) => {
    const ended = await transaction
      .updateTable("discord_submission")
      .set({ state: "done", token: null, refresh_at: null, last_event: submission.lastEvent })
      .where("id", "=", row.id)
      .where("lease_number", "=", row.lease_number)
      .where("state", "=", "following")
      .returning("id")
      .executeTakeFirst();
    if (ended === undefined || content === null || row.guild_id === null) return;
    await transaction.insertInto("discord_message").values({ channel_id: channel, content }).execute();
  });
}

const DAY_MS = 86_400_000;

/** Deletes old rows: after one hour when no target was chosen, after seven days when they have ended. */
export async function deleteOldSubmissionRows({ database: { db }, clock }: Bot): Promise<void> {
  const now = clock().getTime();
  await idempotent(db)
    .deleteFrom("discord_submission")
    .where((where) =>
      where.or([
        where.and([where("state", "=", "asking"), where("created_at", "<", new Date(now - DAY_MS / 24))]),
        where.and([
          where("state", "in", ["done", "refused", "lost"]),
          where("created_at", "<", new Date(now - 7 * DAY_MS)),
        ]),
      ]),
    )
    .execute();
}
