import { api } from "@kernelbot/api";
import { Decision, KernelBotError } from "@kernelbot/core";
import { answer, appeal } from "../appeal.ts";
import { ban, unban } from "../ban.ts";
import { acceptRun, rejectRun } from "../decide.ts";
import { decisionsAbout, readDecision } from "../decisions.ts";
import { flagRun, reportRun } from "../flag.ts";
import { inspectRun } from "../inspect.ts";
import { moderationQueue, quarantineItem } from "../quarantine.ts";
import { removeAny, removeOwn, restore } from "../remove.ts";
import { checkBoardInUse } from "../check-in-use.ts";
import { carryOver } from "../carry-over.ts";
import { rerunBoard, rerunSubmission } from "../rerun.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Services } from "../../services.ts";
import { getOwnSubmission } from "../../submissions/routes/submissions.ts";

/**
 * Returns the current decision.
 * @throws KernelBotError `internal` where it is missing.
 */
async function decision(services: Services, id: number): Promise<Decision> {
  const found = await readDecision(services.database, id);
  if (found === null) throw new KernelBotError("internal", `decision ${id} is gone`);
  return found;
}

export const moderationEndpoints = [
  endpoint(api.submissions.withdraw, async ({ c, services, identity, params }) => {
    await removeOwn(services.database, identity, params.id);
    return c.json((await getOwnSubmission(services, identity, params.id)).submission);
  }),

  endpoint(api.moderation.removeSubmission, async ({ c, services, identity, params, body }) => {
    await removeAny(services.database, identity, params.id, body);
    return c.json((await getOwnSubmission(services, identity, params.id)).submission);
  }),

  endpoint(api.moderation.restoreSubmission, async ({ c, services, identity, params, body }) => {
    await restore(services.database, identity, params.id, body);
    return c.json((await getOwnSubmission(services, identity, params.id)).submission);
  }),

  endpoint(api.moderation.ban, async ({ c, services, identity, body }) => {
    return c.json(await ban(services.database, identity, body));
  }),

  endpoint(api.moderation.unban, async ({ c, services, identity, body }) => {
    return c.json(await unban(services.database, identity, body));
  }),

  endpoint(api.moderation.queue, async ({ c, services }) => {
    return c.json(await moderationQueue(services.database), 200, { "cache-control": "private, no-store" });
  }),

  endpoint(api.moderation.inspectRun, async ({ c, services, params }) => {
    return c.json(await inspectRun(services.database, params.id), 200, { "cache-control": "private, no-store" });
  }),

  endpoint(api.moderation.flagRun, async ({ c, services, identity, params, body }) => {
    const run = await flagRun(services.database, identity, params.id, body.reason);
    return c.json(await quarantineItem(services.database, run));
  }),

  endpoint(api.moderation.reportRun, async ({ c, services, identity, params, body }) => {
    await reportRun(services.database, identity, params.id, body.reason);
    return c.body(null, 204);
  }),

  endpoint(api.moderation.acceptRun, async ({ c, services, identity, params, body }) => {
    return c.json(
      await decision(services, await acceptRun(services.database, identity, params.id, body, services.signer)),
    );
  }),

  endpoint(api.moderation.rejectRun, async ({ c, services, identity, params, body }) => {
    return c.json(await decision(services, await rejectRun(services.database, identity, params.id, body)));
  }),

  endpoint(api.moderation.decisions, async ({ c, services, identity }) => {
    return c.json({ decisions: await decisionsAbout(services.database, identity.account.id) });
  }),

  endpoint(api.moderation.appeal, async ({ c, services, identity, params, body }) => {
    await appeal(services.database, identity, params.id, body.text);
    return c.json(await decision(services, params.id));
  }),

  endpoint(api.moderation.decideAppeal, async ({ c, services, identity, params, body }) => {
    await answer(services.database, identity, params.id, body, services.signer);
    return c.json(await decision(services, params.id));
  }),

  endpoint(api.moderation.rerunSubmission, async ({ c, services, identity, params }) => {
    return c.json({ runs: await rerunSubmission(services.database, identity, params.id) }, 202);
  }),

  endpoint(api.boards.rerun, async ({ c, services, identity, params, body }) => {
    const { revision, top } = body;
    const runs =
      revision === undefined
        ? await rerunBoard(services.database, identity, { ...params, top })
        : await carryOver(services.database, identity, { ...params, revision, top });
    return c.json({ runs }, 202);
  }),

  endpoint(api.boards.checkInUse, async ({ c, services, identity, params, body }) => {
    return c.json({ runs: await checkBoardInUse(services.database, identity, { ...params, ...body }) }, 202);
  }),
];
