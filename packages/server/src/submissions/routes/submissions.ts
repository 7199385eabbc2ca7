import { api } from "@kernelbot/api";
import { KernelBotError, withoutReasons, type RunDetail, type Submission as SubmissionType } from "@kernelbot/core";
import type { Viewer } from "../../auth/visibility.ts";
import { hasRole, requireScope, type Identity } from "../../auth/identity.ts";
import { readProfile } from "../../artifacts/profiles.ts";
import { shownAccount } from "../../competitions/pseudonyms.ts";
import { attachTranscript, requireSessionOf } from "../../evaluations/sessions/attach.ts";
import { cancelSubmission } from "../cancel.ts";
import { enterLate } from "../late-entry.ts";
import { submit } from "../submit.ts";
import { sourceRefusal } from "../source-access.ts";
import { listSubmissions, readRun, readSource } from "../views.ts";
import { identify, viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { notModified } from "../../http/etag.ts";
import type { Services } from "../../services.ts";
import { streamEvents, isStillAllowed } from "../../http/follow.ts";
import { setRateLimitHeaders } from "./limits.ts";
import { readSubmitRequest } from "./multipart.ts";
import type { TaggedSubmission } from "../../live/routes/shared-reads.ts";

export const submissionEndpoints = [
  endpoint(
    api.submissions.submit,
    async ({ c, services, identity, body }) => {
      const { session, board } = body;
      if (session !== undefined) await requireSessionOf(services.database, identity, session, board);
      const { submission, allowances } = await submit(services.database, identity, body, {
        idempotencyKey: c.req.header("idempotency-key"),
      });
      // After the commit: if this fails, the client repeats the request, which creates no other submission.
      if (session !== undefined) await attachTranscript(services.database, identity, submission.id, session);
      setRateLimitHeaders(c, allowances);
      return c.json(submission, 202, { location: `/api/v1/submissions/${submission.id}` });
    },
    readSubmitRequest,
  ),

  endpoint(api.submissions.enterLate, async ({ c, services, identity, body }) => {
    const { submission } = await enterLate(services.database, identity, body);
    return c.json(submission, 202, { location: `/api/v1/submissions/${submission.id}` });
  }),

  endpoint(api.submissions.list, async ({ c, services, identity, query }) => {
    return c.json({ submissions: await listSubmissions(services.database, identity, query) });
  }),

  endpoint(api.submissions.get, async ({ c, services, params }) => {
    const viewer = await viewerOf(c, services);
    const found = await services.reads.visibleSubmission(viewer, params.id);
    if (found === null) {
      // An anonymous caller gets 401 whether or not the submission exists.
      if (viewer === undefined) requireScope(await identify(c, services), "read");
      throw noSubmission(params.id);
    }
    const { etag, body } = isOwn(found.submission, viewer) ? found : outcomeOf(found);
    if (notModified(c, etag)) return c.body(null, 304, { etag });
    return c.body(body, 200, { etag, "content-type": "application/json", "cache-control": "private, no-cache" });
  }),

  endpoint(api.submissions.source, async ({ c, services, params }) => {
    const refusal = await sourceRefusal(services.database, await viewerOf(c, services), params.id);
    if (refusal !== null) throw refusal;
    const source = (await readSource(services.database, params.id)) ?? "";
    return c.text(source, 200, {
      "content-disposition": "attachment",
      "cache-control": "private, no-store",
    });
  }),

  endpoint(api.submissions.profile, async ({ c, services, identity, params: { id } }) => {
    const { submission } = await getOwnSubmission(services, identity, id);
    const runs = await Promise.all(submission.runs.map((run) => readRun(services.database, run.id)));
    const profile = await readProfile(
      services.store,
      runs.filter((run) => run !== null),
    );
    return c.json(profile, 200, { "cache-control": "private, no-store" });
  }),

  endpoint(api.submissions.cancel, async ({ c, services, identity, params }) => {
    await cancelSubmission(services.database, identity, params.id);
    return c.json((await getOwnSubmission(services, identity, params.id)).submission);
  }),

  endpoint(api.submissions.events, async ({ c, services, identity, params, query }) => {
    const { submission } = await getOwnSubmission(services, identity, params.id);
    const { reads, hub } = services;
    return streamEvents(c, services, {
      from: query.after ?? 0,
      read: (after) => reads.events(submission.id, after, "whole"),
      subscribe: (wake) => hub.subscribe(`submission ${submission.id}`, wake),
      mayRead: () =>
        isStillAllowed(
          c,
          services,
          async (viewer) => viewer !== undefined && (await findWholeSubmission(services, viewer, params.id)) !== null,
        ),
    });
  }),
];

/**
 * Returns the submission of an owner or moderator.
 * @throws KernelBotError `not_found` for others, as for a missing one, so that ids reveal nothing.
 */
export async function getOwnSubmission(services: Services, identity: Identity, id: number): Promise<TaggedSubmission> {
  const found = await findWholeSubmission(services, identity, id);
  if (found === null) throw noSubmission(id);
  return found;
}

/** Returns the submission; null where it does not exist or the caller is neither its owner nor a moderator. */
export async function findWholeSubmission(
  services: Services,
  identity: Identity,
  id: number,
): Promise<TaggedSubmission | null> {
  const found = await services.reads.visibleSubmission(identity, id);
  if (found === null) return null;
  return isOwn(found.submission, identity) ? found : null;
}

/** Returns a submission as viewers other than its owner and moderators see it: without failure messages, and with a
 * pseudonym where boards show one. */
function outcomeOf({ submission, etag }: TaggedSubmission): Pick<TaggedSubmission, "etag" | "body"> {
  return { etag: etag.replace(/"$/, '-outcome"'), body: JSON.stringify(publicPart(submission)) };
}

/** Removes what only the owner and moderators may see. */
export function publicPart({ shownAs, ...submission }: SubmissionType): SubmissionType {
  return {
    ...submission,
    account: shownAccount(submission.account, shownAs),
    runs: submission.runs.map((run) => ({
      ...run,
      message: null,
      inUse: run.inUse && withoutReasons(run.inUse),
    })),
  };
}

/**
 * Returns a run as viewers other than its owner and moderators see it: verdict, cases and times, but no output of its code
 * and no messages, review or artifacts.
 */
export function publicRun(run: RunDetail): RunDetail {
  const stages = run.stages.map((stage) => ({
    ...stage,
    output: null,
    cases: stage.cases.map((each) => ({ ...each, message: null })),
  }));
  return {
    ...run,
    stages,
    machine: run.machine && { ...run.machine, hostname: "" },
    inUse: run.inUse && withoutReasons(run.inUse),
    ...{ message: null, detail: null, duel: null, validation: null, review: [], artifacts: [] },
  };
}

/** Returns whether the viewer may see everything of a submission: its owner and moderators. */
export function isOwn({ account }: SubmissionType, viewer: Viewer): boolean {
  return viewer !== undefined && (account.id === viewer.account.id || hasRole(viewer, "moderator"));
}

export function noSubmission(id: number): KernelBotError {
  return new KernelBotError("not_found", `submission ${id} not found`);
}
