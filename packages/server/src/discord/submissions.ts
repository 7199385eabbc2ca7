/**
 * Submissions that were handed in at Discord, each a row that is worked off. Its states:
 *
 *     asking --targets--> accepting --intake has it--> following --told to its end--> done
 *       |                     |                            |
 *       +--forgotten          +--intake refuses--> refused +--nowhere left to tell it--> lost
 *
 * The row is written before intake is asked, with a key of its own, so that a crash between loses nothing and submits
 * nothing twice. What is told follows the log of the submission; the log never waits for it.
 */
import { createHash } from "node:crypto";
import type { Selectable, Updateable } from "kysely";
import { isFinished, KernelBotError, SubmitRequest, type Mode, type Submission } from "@kernelbot/core";
import { isConnectionError, retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { submit } from "../intake/submit.ts";
import { readRun, readSubmission } from "../runs/views.ts";
import { callerOf } from "./accounts.ts";
import { announcementOf } from "./announce.ts";
import { artifactFiles } from "./artifact-files.ts";
import type { Bot } from "./bot.ts";
import { warning } from "./escape.ts";
import { guildOf } from "./guilds.ts";
import { HOLD_MS, holding, postpone, release } from "./held.ts";
import { askedRuns, isThreadOf, progressOf, reportOf, threadName } from "./progress.ts";
import type { Message } from "./protocol.ts";
import { DiscordTrouble, isRefused } from "./trouble.ts";

/** A message is not edited more often than this. */
const CALM_MS = 1500;
/** How often the place in a queue is looked after. */
const QUEUE_MS = 15_000;

/** Discord takes the token of an interaction for 15 minutes; this much before, it is not tried any more. */
export const TOKEN_MS = 15 * 60_000 - 20_000;
/** How long a first answer may be on its way. */
const YOUNG_MS = 5000;

type Row = Selectable<Tables["discord_submission"]>;
/** One of them at work. */
interface Work {
  bot: Bot;
  row: Row;
}

/** Takes the one that has waited longest of those of which there is something to do. */
export async function claimSubmission({ database: { db } }: Bot, now: Date): Promise<Row | undefined> {
  return retrying(() =>
    db
      .updateTable("discord_submission")
      .set(holding(now))
      .where("id", "=", (query) =>
        query
          .selectFrom("discord_submission as d")
          .leftJoin("submission as s", "s.id", "d.submission_id")
          .select("d.id")
          .where("d.state", "in", ["accepting", "following"])
          .where("d.due_at", "<=", now)
          .where((where) => where.or([where("d.held_until", "is", null), where("d.held_until", "<=", now)]))
          .where((where) =>
            where.or([
              where("d.state", "=", "accepting"),
              where("s.last_event", ">", where.ref("d.last_event")),
              where("d.look_at", "<=", now),
              // Its last try failed.
              where("d.tries", ">", 0),
            ]),
          )
          .orderBy("d.due_at")
          .limit(1)
          .forUpdate("d")
          .skipLocked(),
      )
      .returningAll()
      .executeTakeFirst(),
  );
}

/** Does what there is to do of a row, and lets go of it. */
export async function workOff(bot: Bot, claimed: Row): Promise<void> {
  const work: Work = { bot, row: claimed };
  try {
    if (work.row.state === "accepting") await accept(work);
    if (work.row.state === "following") await tell(work);
    await release(bot.database, "discord_submission", work.row, new Date(bot.clock().getTime() + CALM_MS));
  } catch (error) {
    if (error instanceof TakenOver) return;
    const again = await postpone(bot.database, "discord_submission", work.row, error, bot.clock());
    if (!again) await change(work, { ...ENDED[work.row.state], token: null });
  }
}

/** What becomes of a row that nobody can be told of. */
const ENDED: Partial<Record<Row["state"], Updateable<Tables["discord_submission"]>>> = {
  accepting: { state: "refused", source: null },
  following: { state: "lost" },
};

/** Another server has gone on with the row: what this one still knows of it is old. */
class TakenOver extends Error {}

async function change(work: Work, set: Updateable<Tables["discord_submission"]>): Promise<void> {
  const { bot, row } = work;
  const changed = await retrying(() =>
    bot.database.db
      .updateTable("discord_submission")
      .set({ held_until: new Date(bot.clock().getTime() + HOLD_MS), ...set })
      .where("id", "=", row.id)
      .where("holds", "=", row.holds)
      .returningAll()
      .executeTakeFirst(),
  );
  if (changed === undefined) throw new TakenOver();
  work.row = changed;
}

async function accept(work: Work): Promise<void> {
  const { bot, row } = work;
  try {
    const { submission } = await submit(bot.database, await callerOf(bot, { id: row.user_id }), requestOf(row), {
      ownKey: `discord ${row.interaction_id}`,
    });
    await change(work, { state: "following", submission_id: submission.id, source: null });
  } catch (error) {
    // Without the database nobody knows whether intake has it.
    if (!(error instanceof KernelBotError) || error.code === "internal" || isConnectionError(error.cause)) throw error;
    const message = { content: warning(error.message) };
    if (!(await sayPrivately(work, message.content))) {
      await bot.api.post(await bot.api.directMessages(row.user_id), message, `n${row.id}`);
    }
    await change(work, { state: "refused", source: null, token: null });
  }
}

/** @throws KernelBotError `unprocessable` where it cannot be one, as its name may. */
function requestOf({ board, targets, mode, file_name: fileName, source }: Row): SubmitRequest {
  const read = SubmitRequest.safeParse({ board, targets, mode: mode satisfies Mode, fileName, source });
  if (read.success) return read.data;
  throw new KernelBotError("unprocessable", read.error.issues.map(({ message }) => message).join("; "));
}

/**
 * Brings what was told in line with what is stored. What Discord has no place for is left, and what comes after it told all
 * the same: the private answer, and the one for all.
 */
async function tell(work: Work): Promise<void> {
  const { bot } = work;
  const submission = await readSubmission(bot.database, work.row.submission_id ?? 0);
  if (submission === null) throw new Error(`submission ${work.row.submission_id} is gone`);
  if (!isFinished(submission)) {
    await refusalOf(sayProgress(work, submission));
    const isWaiting = submission.runs.some(({ state }) => state === "queued");
    const lookAt = isWaiting ? new Date(bot.clock().getTime() + QUEUE_MS) : null;
    return change(work, { last_event: submission.lastEvent, look_at: lookAt });
  }
  const refusals = [await refusalOf(sayReport(work, submission)), await refusalOf(sayProgress(work, submission))];
  await end(work, submission);
  const refusal = refusals.find((each) => each !== null);
  if (refusal !== undefined) throw refusal;
}

/** What Discord refuses of it; null where it was told. */
async function refusalOf(saying: Promise<void>): Promise<DiscordTrouble | null> {
  try {
    await saying;
    return null;
  } catch (error) {
    if (isRefused(error)) return error;
    throw error;
  }
}

async function sayProgress(work: Work, submission: Submission): Promise<void> {
  const { bot } = work;
  const content = progressOf(submission, bot.publicUrl, work.row.place_id);
  const said = createHash("sha256").update(content).digest("hex");
  if (work.row.said === said) return;
  if (!(await sayPrivately(work, content))) await sayAtPlace(work, submission, content);
  await change(work, { said });
}

/** In the answer that its owner alone sees. @returns whether Discord still takes its token. */
async function sayPrivately(work: Work, content: string): Promise<boolean> {
  const { bot, row } = work;
  if (row.token === null) return false;
  if (row.token_until > bot.clock()) {
    try {
      await bot.api.editReply(row.token, { content });
      return true;
    } catch (error) {
      if (!(error instanceof DiscordTrouble) || error.kind === "later") throw error;
      // The first answer may not have reached Discord yet, before which it knows no message to edit.
      const ageMs = bot.clock().getTime() - (row.token_until.getTime() - TOKEN_MS);
      if (ageMs < YOUNG_MS && row.tries < 3) {
        throw new DiscordTrouble("later", error.message, { status: error.status });
      }
    }
  }
  await change(work, { token: null });
  return false;
}

async function sayAtPlace(work: Work, submission: Submission, content: string): Promise<void> {
  const place = await placeOf(work, submission);
  const { bot, row } = work;
  if (row.progress_id !== null && (await bot.api.edit(place, row.progress_id, { content }))) return;
  const nonce = `p${row.id}.${row.progress_id ?? ""}`.slice(0, 25);
  await change(work, { progress_id: await bot.api.post(place, { content }, nonce) });
}

/** Its private thread, begun when it is first needed; where there can be none, the direct messages of its owner. */
async function placeOf(work: Work, submission: Submission): Promise<string> {
  const { row } = work;
  if (row.place_id !== null) return row.place_id;
  const place = row.guild_id === null ? row.channel_id : await threadOf(work, row.guild_id, submission);
  await change(work, { place_id: place });
  return place;
}

async function threadOf({ bot, row }: Work, guild: string, submission: Submission): Promise<string> {
  try {
    // One that we began and then died before we knew of it is found by its name.
    const isIt = (name: string) => isThreadOf(submission, name);
    const known = row.tries > 1 ? await bot.api.findThread(guild, row.channel_id, isIt) : null;
    if (known !== null) await rename(bot, known, submission);
    const thread = known ?? (await bot.api.startPrivateThread(row.channel_id, threadName(submission)));
    await bot.api.addToThread(thread, row.user_id);
    return thread;
  } catch (error) {
    if (!isRefused(error)) throw error;
    bot.database.log(
      `Discord: no thread in ${row.channel_id}, so submission ${submission.id} is told directly: ${error.message}`,
    );
    return bot.api.directMessages(row.user_id);
  }
}

/** The report of each run, then where to read on. */
async function sayReport(work: Work, submission: Submission): Promise<void> {
  const { bot } = work;
  const runs = askedRuns(submission).filter(({ state }) => state === "done");
  // There is nothing to tell of what was cancelled.
  if (runs.length === 0) return;
  const began = work.row.place_id !== null;
  const place = await placeOf(work, submission);
  // The name of one that was begun before says that it runs.
  if (began && work.row.reported === 0 && work.row.guild_id !== null) await rename(work.bot, place, submission);
  for (const [index, summary] of runs.entries()) {
    if (index < work.row.reported) continue;
    const run = await readRun(bot.database, summary.id);
    if (run === null) continue;
    await bot.api.post(place, withFiles(reportOf(run), await artifactFiles(bot, run)), `r${work.row.id}.${index}`);
    await change(work, { reported: index + 1 });
  }
  if (work.row.reported > runs.length) return;
  const content = `See results at <${bot.publicUrl}/submissions/${submission.id}>`;
  await bot.api.post(place, { content }, `r${work.row.id}.end`);
  await change(work, { reported: runs.length + 1 });
}

async function rename(bot: Bot, thread: string, submission: Submission): Promise<void> {
  await bot.api.changeThread(thread, { name: threadName(submission) }).catch((error: unknown) => {
    // A channel of direct messages has no name, and a name is worth no more tries.
    if (!(error instanceof DiscordTrouble)) throw error;
  });
}

function withFiles(message: Message, files: NonNullable<Message["files"]>): Message {
  return files.length === 0 ? message : { ...message, files: [...(message.files ?? []), ...files] };
}

/** Ends the row, and has it told in public what it came to, together. */
async function end(work: Work, submission: Submission): Promise<void> {
  const { bot, row } = work;
  const content = await announcementOf(bot, submission, row.user_id);
  const channel = (await guildOf(bot, row.guild_id))?.submissions_channel ?? row.channel_id;
  await retrying(() =>
    bot.database.db.transaction().execute(async (transaction) => {
      const ended = await transaction
        .updateTable("discord_submission")
        .set({ state: "done", token: null, look_at: null, last_event: submission.lastEvent })
        .where("id", "=", row.id)
        .where("holds", "=", row.holds)
        .where("state", "=", "following")
        .returning("id")
        .executeTakeFirst();
      if (ended === undefined || content === null || row.guild_id === null) return;
      await transaction.insertInto("discord_message").values({ channel_id: channel, content }).execute();
    }),
  );
}

const DAY_MS = 86_400_000;

/** What nobody chose targets for is gone with its message; of what has ended a week is kept. */
export async function forgetSubmissions({ database: { db }, clock }: Bot): Promise<void> {
  const now = clock().getTime();
  await retrying(() =>
    db
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
      .execute(),
  );
}
