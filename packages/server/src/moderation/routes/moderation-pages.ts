/** The pages of moderators: queue, evidence, decisions, and appeals. */
import { Id, wholeNumber } from "@kernelbot/api";
import { FlagCheck, KernelBotError, ProblemName, Reason, formatVerdict, type Inspection } from "@kernelbot/core";
import { appealPage, inQueue, inspectionPage, moderationPage } from "@kernelbot/web";
import { z } from "zod";
import type { Identity } from "../../auth/identity.ts";
import { answer } from "../appeal.ts";
import { ban, unban } from "../ban.ts";
import { acceptRun, rejectRun } from "../decide.ts";
import { openAppeals, readAppealed } from "../decisions.ts";
import { flagRun } from "../flag.ts";
import { accountHistory } from "../history.ts";
import { inspectRun } from "../inspect.ts";
import { expectedRank } from "../expected-rank.ts";
import { quarantined, queueCounts, type QueueFilter } from "../quarantine.ts";
import { removeAny, restore } from "../remove.ts";
import { rerunSubmission } from "../rerun.ts";
import { readRun, readSource, readSubmission } from "../../submissions/views.ts";
import type { Database } from "../../db/database.ts";
import type { Services } from "../../services.ts";
import { optional, validated } from "../../http/input.ts";
import { form, page, type PageRoute, type Rejected } from "../../http/page.ts";

const Queue = z.object({
  kind: optional(z.enum([...FlagCheck.options, "appeal"])),
  problem: optional(ProblemName),
});
type Queue = z.infer<typeof Queue>;
/** The queue's filter and the run that was decided last, for a message. */
const Decided = Queue.extend({ last: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional() });

const RunAct = Queue.extend({
  act: z.enum(["accept", "reject", "flag", "rerun", "remove", "restore", "ban", "unban"]),
  reason: z.string().default(""),
});
type RunAct = z.infer<typeof RunAct>;
const Answer = Queue.extend({ answer: z.enum(["grant", "uphold"]), reason: z.string() });

const inspection = page({
  path: "/moderation/runs/:id{[0-9]+}",
  access: "moderator",
  params: Id,
  query: Decided,
  async handle({ services: { database }, identity, params: { id }, query: { last, ...filter }, visit, rejected }) {
    const query = rejected === undefined ? filter : typedQueue(rejected);
    const found = await inspectRun(database, id);
    const { run, account } = found;
    const submission = await readSubmission(database, run.submissionId);
    if (submission === null) throw new KernelBotError("internal", `the submission of run ${run.id} is gone`);
    const [source, history, prospect, queue, done] = await Promise.all([
      readSource(database, run.submissionId),
      accountHistory(database, identity, account.id),
      expectedRank(database, identity, run, submission.shownAs ?? account.id),
      quarantined(database, filterOf(query)),
      doneWords(database, last),
    ]);
    const at = queue.findIndex(({ runId }) => runId === run.id);
    return inspectionPage({
      visit,
      inspection: found,
      submission,
      source: source ?? "",
      history,
      expectedRank: prospect,
      query,
      waiting: at === -1 ? null : { at: at + 1, of: queue.length, next: queue[at + 1]?.runId ?? null },
      done,
      problem: rejected?.problem,
      reason: rejected?.typed.get("reason") ?? "",
    });
  },
});

const appeal = page({
  path: "/moderation/decisions/:id{[0-9]+}",
  access: "moderator",
  params: Id,
  query: Queue,
  async handle({ services: { database }, identity, params: { id }, query, visit, rejected }) {
    const decision = await readAppealed(database, identity, id);
    if (decision === null) throw new KernelBotError("not_found", `decision ${id} not found`);
    return appealPage({
      visit,
      decision,
      history: await accountHistory(database, identity, decision.account.id),
      query: rejected === undefined ? query : typedQueue(rejected),
      problem: rejected?.problem,
      reason: rejected?.typed.get("reason") ?? "",
    });
  },
});

export const moderationPages: readonly PageRoute[] = [
  page({
    path: "/moderation",
    access: "moderator",
    query: Decided,
    async handle({ services: { database }, query: { last, ...query }, visit }) {
      const [items, appeals, counts, done] = await Promise.all([
        quarantined(database, filterOf(query)),
        openAppeals(database),
        queueCounts(database),
        doneWords(database, last),
      ]);
      return moderationPage({ visit, items, appeals, counts, query, done });
    },
  }),

  inspection,

  form({
    path: "/moderation/runs/:id{[0-9]+}/act",
    on: inspection,
    fields: RunAct,
    async handle({ services, identity, params: { id }, fields: { act, reason, ...query } }) {
      await perform(services, identity, await inspectRun(services.database, id), act, reason);
      if (act !== "accept" && act !== "reject") return inQueue(`/moderation/runs/${id}`, query);
      return nextOf(services.database, query, id);
    },
  }),

  appeal,

  form({
    path: "/moderation/decisions/:id{[0-9]+}/answer",
    on: appeal,
    fields: Answer,
    async handle({ services, identity, params: { id }, fields: { answer: given, reason, ...query } }) {
      const decided = { grant: given === "grant", reason: reasonOf(reason) };
      await answer(services.database, identity, id, decided, services.signer);
      return inQueue("/moderation", query);
    },
  }),
];

async function perform(
  { database, signer }: Services,
  identity: Identity,
  { run, account }: Inspection,
  act: RunAct["act"],
  typed: string,
): Promise<unknown> {
  if (act === "rerun") return rerunSubmission(database, identity, run.submissionId);
  const reason = reasonOf(typed);
  switch (act) {
    case "accept":
      return acceptRun(database, identity, run.id, { reason }, signer);
    case "reject":
      return rejectRun(database, identity, run.id, { reason });
    case "flag":
      return flagRun(database, identity, run.id, reason);
    case "remove":
      return removeAny(database, identity, run.submissionId, { reason });
    case "restore":
      return restore(database, identity, run.submissionId, { reason });
    case "ban":
      return ban(database, identity, { account: account.name, reason });
    case "unban":
      return unban(database, identity, { account: account.name, reason });
  }
}

/** Returns the URL of the next run in the filtered queue; of the queue itself where it is empty. */
async function nextOf(database: Database, query: Queue, last: number): Promise<string> {
  const [next] = await quarantined(database, { ...filterOf(query), limit: 1 });
  const to = inQueue(next === undefined ? "/moderation" : `/moderation/runs/${next.runId}`, query);
  return `${to}${to.includes("?") ? "&" : "?"}last=${last}`;
}

/** Returns the message about the run that was decided last; null where there is none. */
async function doneWords(database: Database, last: number | undefined): Promise<string | null> {
  const run = last === undefined ? null : await readRun(database, last);
  return run === null || run.verdict === null
    ? null
    : `Run ${run.id} is decided (${formatVerdict(run.verdict, run.failureClass)}).`;
}

/** Returns the queue's filter from the hidden fields of a rejected form. */
function typedQueue({ typed }: Rejected): Queue {
  return Queue.catch({}).parse(Object.fromEntries(typed));
}

/** Converts the page's filter to that of the queue. */
function filterOf({ kind, problem }: Queue): QueueFilter {
  return { problem, check: kind === "appeal" ? undefined : kind };
}

/** Validates a reason; HTML forms encode line ends as CRLF. */
function reasonOf(typed: string): string {
  return validated(Reason, typed.replaceAll("\r\n", "\n"));
}
