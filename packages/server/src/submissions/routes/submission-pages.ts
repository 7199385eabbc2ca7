/**
 * The page of a submission with its owner's actions, and the list of the caller's submissions. Every action is also
 * available in the API.
 */
import { Id, wholeNumber } from "@kernelbot/api";
import { AppealRequest, Mode, Outcome, ProblemName, TargetName } from "@kernelbot/core";
import { submissionPage, submissionsPage } from "@kernelbot/web";
import { z } from "zod";
import { cancelSubmission } from "../cancel.ts";
import { appeal } from "../../moderation/appeal.ts";
import { removeOwn } from "../../moderation/remove.ts";
import { listSubmittedProblems } from "../page-data.ts";
import { listSubmissions } from "../views.ts";
import { optional, validated } from "../../http/input.ts";
import { submissionFor } from "./submission-view.ts";
import { noSubmission } from "./submissions.ts";
import { form, page, type PageRoute } from "../../http/page.ts";

/** Submissions per page of the list. */
const PAGE = 25;

const Choice = z.object({
  problem: optional(ProblemName),
  target: optional(TargetName),
  mode: optional(Mode),
  verdict: optional(Outcome),
  before: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
});

const submission = page({
  path: "/submissions/:id{[0-9]+}",
  access: "viewer",
  params: Id,
  async handle({ services, identity, params: { id }, visit, rejected }) {
    const found = (await services.reads.visibleSubmission(identity, id))?.submission;
    if (found === undefined) throw noSubmission(id);
    return submissionPage({
      ...(await submissionFor(services, identity, found)),
      visit,
      problem: rejected?.problem,
      typed: rejected?.typed.get("text") ?? undefined,
    });
  },
});

const ACTIONS = { cancel: cancelSubmission, remove: removeOwn };

export const submissionPages: readonly PageRoute[] = [
  page({
    path: "/submissions",
    access: "signed-in",
    query: Choice,
    async handle({ services: { database }, identity, query: { before, ...choice }, visit }) {
      const { problem, target, mode, verdict } = choice;
      const filter = { board: problem, target, mode, outcome: verdict, before, limit: PAGE + 1 };
      const [found, known] = await Promise.all([
        listSubmissions(database, identity, filter),
        listSubmittedProblems(database, identity),
      ]);
      const submissions = found.slice(0, PAGE);
      const next = found.length > PAGE ? (submissions.at(-1)?.id ?? null) : null;
      return submissionsPage({ visit, submissions, choice, ...known, next });
    },
  }),

  submission,

  page({
    path: "/submissions/:id{[0-9]+}/compare",
    access: "anyone",
    params: Id,
    query: z.object({ with: wholeNumber(1, Number.MAX_SAFE_INTEGER), target: optional(TargetName) }),
    cacheControl: "no-store",
    handle({ c, params: { id }, query }) {
      const target = query.target === undefined ? "" : `?target=${encodeURIComponent(query.target)}`;
      return c.redirect(`/compare/${id}/${query.with}${target}`, 303);
    },
  }),

  ...Object.entries(ACTIONS).map(([action, perform]) =>
    form({
      path: `/submissions/:id{[0-9]+}/${action}`,
      on: submission,
      handle: ({ services, identity, params: { id } }) => perform(services.database, identity, id),
      redirectTo: ({ params: { id } }) => `/submissions/${id}`,
    }),
  ),

  form({
    path: "/submissions/:id{[0-9]+}/appeal",
    on: submission,
    fields: z.object({ decision: wholeNumber(1, Number.MAX_SAFE_INTEGER), text: z.string() }),
    async handle({ services, identity, params: { id }, fields: { decision, ...typed } }) {
      // HTML forms encode line ends as CRLF.
      const { text } = validated(AppealRequest, { text: typed.text.replaceAll("\r\n", "\n") });
      await appeal(services.database, identity, decision, text);
      return `/submissions/${id}`;
    },
  }),
];
