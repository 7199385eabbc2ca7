/** The pages of moderators: queue, evidence, decisions, and appeals. */
import { FlagCheck, KernelBotError, ProblemName, Reason, formatVerdict, type Inspection } from "@kernelbot/core";
import { appealPage, inQueue, inspectionPage, moderationPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Identity } from "../../auth/identity.ts";
import { answer } from "../appeal.ts";
import { ban, unban } from "../ban.ts";
import { accept, reject } from "../decide.ts";
import { openAppeals, readAppealed } from "../decisions.ts";
import { flag } from "../flag.ts";
import { accountHistory } from "../history.ts";
import { inspectRun } from "../inspect.ts";
import { prospectOf } from "../expected-rank.ts";
import { quarantined, queueCounts, type QueueFilter } from "../quarantine.ts";
import { removeAny, restore } from "../remove.ts";
import { rerunSubmission } from "../rerun.ts";
import { readRun, readSource, readSubmission } from "../../submissions/views.ts";
import { Id } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { forRole, formsOf, type Refused } from "../../http/forms.ts";
import { optional, readFields, validated, wholeNumber } from "../../http/input.ts";
import { visitOf } from "../../http/page-context.ts";

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

export function mountModerationPages(app: Hono<HttpEnv>, services: Services): void {
  const { database, signer } = services;

  app.get(
    "/moderation",
    forRole(services, "moderator", async (c, identity) => {
      const { last, ...query } = validated(Decided, c.req.query());
      const [items, appeals, counts, done] = await Promise.all([
        quarantined(database, filterOf(query)),
        openAppeals(database),
        queueCounts(database),
        doneWords(last),
      ]);
      const visit = visitOf(c, services, identity);
      return c.html(await moderationPage({ visit, items, appeals, counts, query, done }));
    }),
  );

  app.get(
    "/moderation/runs/:id{[0-9]+}",
    forRole(services, "moderator", async (c, identity) => {
      const { last, ...query } = validated(Decided, c.req.query());
      return c.html(await inspection(c, identity, query, { done: await doneWords(last) }));
    }),
  );

  const ofRun = formsOf(
    services,
    async (c, identity, { problem, typed }) => {
      const query = Queue.catch({}).parse(Object.fromEntries(typed));
      return inspection(c, identity, query, { problem, reason: typed.get("reason") ?? "" });
    },
    "moderator",
  );

  app.post(
    "/moderation/runs/:id{[0-9]+}/act",
    ofRun(async (c, identity) => {
      const { id } = validated(Id, c.req.param());
      const { act, reason, ...query } = await readFields(c, RunAct);
      await perform(identity, await inspectRun(database, id), act, reason);
      if (act !== "accept" && act !== "reject") return c.redirect(inQueue(`/moderation/runs/${id}`, query), 303);
      return c.redirect(await nextOf(query, id), 303);
    }),
  );

  app.get(
    "/moderation/decisions/:id{[0-9]+}",
    forRole(services, "moderator", async (c, identity) =>
      c.html(await appealed(c, identity, validated(Queue, c.req.query()))),
    ),
  );

  const ofAppeal = formsOf(
    services,
    async (c, identity, { problem, typed }) => {
      const query = Queue.catch({}).parse(Object.fromEntries(typed));
      return appealed(c, identity, query, { problem, typed });
    },
    "moderator",
  );

  app.post(
    "/moderation/decisions/:id{[0-9]+}/answer",
    ofAppeal(async (c, identity) => {
      const { id } = validated(Id, c.req.param());
      const { answer: given, reason, ...query } = await readFields(c, Answer);
      await answer(database, identity, id, { grant: given === "grant", reason: reasonOf(reason) }, signer);
      return c.redirect(inQueue("/moderation", query), 303);
    }),
  );

  async function inspection(
    c: Context<HttpEnv>,
    identity: Identity,
    query: Queue,
    more: { done?: string | null; problem?: string; reason?: string },
  ): Promise<string> {
    const found = await inspectRun(database, validated(Id, c.req.param()).id);
    const { run, account } = found;
    const [submission, source, history, prospect, queue] = await Promise.all([
      readSubmission(database, run.submissionId),
      readSource(database, run.submissionId),
      accountHistory(database, identity, account.id),
      prospectOf(database, identity, run, account.id),
      quarantined(database, filterOf(query)),
    ]);
    if (submission === null) throw new KernelBotError("internal", `the submission of run ${run.id} is gone`);
    const visit = visitOf(c, services, identity);
    const shown = {
      visit,
      inspection: found,
      submission,
      source: source ?? "",
      history,
      expectedRank: prospect,
      query,
    };
    const at = queue.findIndex(({ runId }) => runId === run.id);
    const waiting = at === -1 ? null : { at: at + 1, of: queue.length, next: queue[at + 1]?.runId ?? null };
    return inspectionPage({ ...shown, waiting, ...more });
  }

  async function perform(
    identity: Identity,
    { run, account }: Inspection,
    act: RunAct["act"],
    typed: string,
  ): Promise<unknown> {
    if (act === "rerun") return rerunSubmission(database, identity, run.submissionId);
    const reason = reasonOf(typed);
    switch (act) {
      case "accept":
        return accept(database, identity, run.id, { reason }, signer);
      case "reject":
        return reject(database, identity, run.id, { reason });
      case "flag":
        return flag(database, identity, run.id, reason);
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
  async function nextOf(query: Queue, last: number): Promise<string> {
    const [next] = await quarantined(database, { ...filterOf(query), limit: 1 });
    const to = inQueue(next === undefined ? "/moderation" : `/moderation/runs/${next.runId}`, query);
    return `${to}${to.includes("?") ? "&" : "?"}last=${last}`;
  }

  /** Returns the message about the run that was decided last; null where there is none. */
  async function doneWords(last: number | undefined): Promise<string | null> {
    const run = last === undefined ? null : await readRun(database, last);
    return run === null || run.verdict === null
      ? null
      : `Run ${run.id} is decided (${formatVerdict(run.verdict, run.failureClass)}).`;
  }

  async function appealed(c: Context<HttpEnv>, identity: Identity, query: Queue, refused?: Refused): Promise<string> {
    const { id } = validated(Id, c.req.param());
    const decision = await readAppealed(database, identity, id);
    if (decision === null) throw new KernelBotError("not_found", `there is no decision ${id}`);
    const history = await accountHistory(database, identity, decision.account.id);
    const shown = { visit: visitOf(c, services, identity), decision, history, query };
    return appealPage({ ...shown, problem: refused?.problem, reason: refused?.typed.get("reason") ?? "" });
  }
}

/** Converts the page's filter to that of the queue. */
function filterOf({ kind, problem }: Queue): QueueFilter {
  return { problem, check: kind === "appeal" ? undefined : kind };
}

/** Validates a reason; HTML forms encode line ends as CRLF. */
function reasonOf(typed: string): string {
  return validated(Reason, typed.replaceAll("\r\n", "\n"));
}
