/**
 * The page of a submission with its owner's actions, and the list of the caller's submissions. Every action is also
 * available in the API.
 */
import { AppealRequest, KernelBotError, Mode, Outcome, ProblemName, TargetName } from "@kernelbot/core";
import { submissionPage, submissionsPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Viewer } from "../../auth/visibility.ts";
import type { Identity } from "../../auth/identity.ts";
import { cancelSubmission } from "../cancel.ts";
import { appeal } from "../../moderation/appeal.ts";
import { removeOwn } from "../../moderation/remove.ts";
import { submittedTo } from "../page-data.ts";
import { listSubmissions } from "../views.ts";
import { signed } from "../../http/forms.ts";
import { viewerOf } from "../../http/identify.ts";
import { Id } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { readFields, validated, wholeNumber } from "../../http/input.ts";
import { submissionFor } from "./submission-view.ts";
import { noSubmission, reached } from "./submissions.ts";
import { visitOf } from "../../http/page-context.ts";

/** Submissions per page of the list. */
const PAGE = 25;

/** Makes a schema optional; forms send empty fields as empty strings. */
const orEmpty = <Shape extends z.ZodType>(shape: Shape) =>
  z.preprocess((text) => (text === "" ? undefined : text), shape.optional());
const Choice = z.object({
  problem: orEmpty(ProblemName),
  target: orEmpty(TargetName),
  mode: orEmpty(Mode),
  verdict: orEmpty(Outcome),
  before: orEmpty(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
});
const With = z.object({ with: wholeNumber(1, Number.MAX_SAFE_INTEGER), target: orEmpty(TargetName) });
const AppealForm = z.object({ decision: wholeNumber(1, Number.MAX_SAFE_INTEGER), text: z.string() });

export function mountSubmissionPages(app: Hono<HttpEnv>, services: Services): void {
  const { database } = services;

  app.get(
    "/submissions",
    signed(services, async (c, identity) => {
      const { before, ...choice } = validated(Choice, c.req.query());
      const { problem, target, mode, verdict } = choice;
      const asked = { board: problem, target, mode, outcome: verdict, before, limit: PAGE + 1 };
      const [found, known] = await Promise.all([
        listSubmissions(database, identity, asked),
        submittedTo(database, identity),
      ]);
      const submissions = found.slice(0, PAGE);
      const next = found.length > PAGE ? (submissions.at(-1)?.id ?? null) : null;
      return c.html(
        await submissionsPage({ visit: visitOf(c, services, identity), submissions, choice, ...known, next }),
      );
    }),
  );

  app.get("/submissions/:id{[0-9]+}", async (c) => {
    c.header("cache-control", "private, no-cache");
    return show(c, await viewerOf(c, services));
  });

  app.get("/submissions/:id{[0-9]+}/compare", (c) => {
    c.header("cache-control", "no-store");
    const { id } = validated(Id, c.req.param());
    const asked = validated(With, c.req.query());
    const target = asked.target === undefined ? "" : `?target=${encodeURIComponent(asked.target)}`;
    return c.redirect(`/compare/${id}/${asked.with}${target}`, 303);
  });

  app.post(
    "/submissions/:id{[0-9]+}/cancel",
    act((identity, id) => cancelSubmission(database, identity, id)),
  );

  app.post(
    "/submissions/:id{[0-9]+}/remove",
    act((identity, id) => removeOwn(database, identity, id)),
  );

  app.post(
    "/submissions/:id{[0-9]+}/appeal",
    signed(services, async (c, identity) => {
      const { decision, text } = await readFields(c, AppealForm);
      // HTML forms encode line ends as CRLF.
      return attempt(c, identity, text, () =>
        appeal(database, identity, decision, validated(AppealRequest, { text: text.replaceAll("\r\n", "\n") }).text),
      );
    }),
  );

  /** Returns the handler of a button: performs the action, then redirects to the page. */
  function act(does: (identity: Identity, id: number) => Promise<unknown>): (c: Context<HttpEnv>) => Promise<Response> {
    return signed(services, (c, identity) => {
      const { id } = validated(Id, c.req.param());
      return attempt(c, identity, undefined, () => does(identity, id));
    });
  }

  /** Performs an action and redirects to the page, or shows the page with the error. */
  async function attempt(
    c: Context<HttpEnv>,
    identity: Identity,
    typed: string | undefined,
    does: () => Promise<unknown>,
  ): Promise<Response> {
    try {
      await does();
    } catch (problem) {
      if (!(problem instanceof KernelBotError) || problem.status >= 500) throw problem;
      return show(c, identity, { problem, typed });
    }
    return c.redirect(`/submissions/${validated(Id, c.req.param()).id}`, 303);
  }

  interface Refusal {
    problem: KernelBotError;
    typed: string | undefined;
  }

  /**
   * Responds with the page of a submission and the error of an action, if any.
   * @throws KernelBotError `not_found` where it does not exist for this viewer; the error of the action is then not
   * shown.
   */
  async function show(c: Context<HttpEnv>, viewer: Viewer, refusal?: Refusal): Promise<Response> {
    const { id } = validated(Id, c.req.param());
    const submission = (await reached(services, viewer, id))?.submission;
    if (submission === undefined) throw noSubmission(id);
    const page = {
      ...(await submissionFor(services, viewer, submission)),
      visit: visitOf(c, services, viewer),
      problem: refusal?.problem.message,
      typed: refusal?.typed,
    };
    return c.html(await submissionPage(page), refusal?.problem.status ?? 200);
  }
}
