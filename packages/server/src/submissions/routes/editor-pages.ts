/** The page with the source editor, and the form that submits from it. */
import { wholeNumber } from "@kernelbot/api";
import {
  EXTENSIONS,
  KernelBotError,
  Language,
  ProblemName,
  startersOf,
  TargetName,
  type Starter,
} from "@kernelbot/core";
import { editorPage, type EditorPage } from "@kernelbot/web";
import { z } from "zod";
import { noProblem, type Viewer } from "../../auth/visibility.ts";
import { submit } from "../submit.ts";
import { readTerms } from "../terms.ts";
import { readProblem } from "../../problems/problems.ts";
import { sourceRefusal } from "../source-access.ts";
import { listSubmissions, readSource, readSubmission } from "../views.ts";
import { sessionOf } from "../../http/cookies.ts";
import { idempotencyKey, isFormKey, newKey, readFilledForm, requestOf, withFile } from "./editor-form.ts";
import type { Database } from "../../db/database.ts";
import { setRateLimitHeaders } from "./limits.ts";
import { setErrorHeaders } from "../../http/errors.ts";
import { visitOf } from "../../http/page-context.ts";
import { form, page, type PageRoute } from "../../http/page.ts";

/** Maximum number of the viewer's own submissions on the page. */
const LISTED = 20;

const Address = z.object({ name: ProblemName });
const EditorQuery = z.object({
  /** Id of a submission whose source the viewer may read. */
  from: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  /** File name of a starter template. */
  template: z.string().max(200).optional(),
  language: Language.optional(),
  target: TargetName.optional(),
});
type InitialFile = Pick<Starter, "fileName" | "source">;

/** The parts of the page that depend on the problem and the viewer, not on the input. */
type EditorContext = Pick<EditorPage, "problem" | "terms" | "starters" | "submissions">;

export const editorPages: readonly PageRoute[] = [
  page({
    path: "/problems/:name/submit",
    access: "viewer",
    params: Address,
    query: EditorQuery,
    cacheControl: "private, no-store",
    async handle({ services: { database }, identity, params, query, visit }) {
      const scene = await getScene(database, identity, params.name);
      const begun = await initialInput(database, identity, scene, query);
      return editorPage({ ...scene, ...begun, key: newKey(), visit });
    },
  }),

  // After a session has expired, the page is shown again with the input, so that the source is not lost.
  form({
    path: "/problems/:name/submit",
    access: "anyone",
    params: Address,
    async handle({ c, services, params: { name } }) {
      c.header("cache-control", "private, no-store");
      const { database } = services;
      const identity = await sessionOf(c, services);
      const filled = await readFilledForm(c);
      let { fields } = filled;
      try {
        if (identity === null) throw new KernelBotError("unauthorized", "You are not signed in; sign in to submit.");
        fields = await withFile(filled);
        const request = requestOf(name, filled.mode, fields);
        const options = { idempotencyKey: idempotencyKey(filled.key, request) };
        const { submission, allowances } = await submit(database, identity, request, options);
        setRateLimitHeaders(c, allowances);
        return `/submissions/${submission.id}`;
      } catch (problem) {
        if (!(problem instanceof KernelBotError) || problem.code === "internal") throw problem;
        setErrorHeaders(c, problem);
        const shown = {
          ...(await getScene(database, identity ?? undefined, name)),
          origin: "refused",
          fields,
          refusal: problem.message,
          key: isFormKey(filled.key) ? filled.key : newKey(),
          visit: visitOf(c, services, identity),
        } as const;
        return c.html(await editorPage(shown), problem.status);
      }
    },
  }),
];

async function getScene(database: Database, viewer: Viewer, name: string): Promise<EditorContext> {
  const found = await readProblem(database, viewer, name);
  const terms = found && (await readTerms(database, viewer, found.problem.spec));
  if (found === null || terms === null) throw noProblem(name);
  return {
    problem: found.problem.spec,
    terms,
    starters: startersOf(found.problem),
    submissions: viewer === undefined ? [] : await listSubmissions(database, viewer, { board: name, limit: LISTED }),
  };
}

/**
 * Returns the editor's initial content: an earlier submission or a starter. Targets and author are taken from the
 * viewer's earlier submissions.
 */
async function initialInput(
  database: Database,
  viewer: Viewer,
  { terms, starters, submissions }: EditorContext,
  { from, template, language, target }: z.infer<typeof EditorQuery>,
): Promise<Pick<EditorPage, "fields" | "origin">> {
  const earlier = from === undefined ? undefined : await getEarlier(database, viewer, from);
  const starter = starterOf(starters, template, language);
  const like = earlier?.submission ?? submissions[0];
  const open = (each: string): boolean => terms.targets.includes(each);
  const before = like?.runs.map((run) => run.target).filter(open) ?? [];
  const chosen = target !== undefined && open(target) ? [target] : before;
  return {
    origin: from ?? "starter",
    fields: {
      fileName: earlier?.submission.fileName ?? starter?.fileName ?? "",
      source: earlier?.source ?? starter?.source ?? "",
      targets: chosen.length > 0 ? chosen : terms.targets.slice(0, 1),
      author: submissions[0]?.author.kind ?? "undeclared",
      model: submissions[0]?.author.model ?? "",
      licence: "",
    },
  };
}

/**
 * Returns an earlier submission with its source.
 * @throws KernelBotError where the viewer may not read it.
 */
async function getEarlier(database: Database, viewer: Viewer, id: number) {
  const refusal = await sourceRefusal(database, viewer, id);
  if (refusal !== null) throw refusal;
  const [submission, source] = await Promise.all([readSubmission(database, id), readSource(database, id)]);
  if (submission === null || source === null) throw new KernelBotError("not_found", `submission ${id} not found`);
  return { submission, source };
}

/**
 * Returns the requested starter; an empty file where the requested language has none; undefined where there is no
 * starter at all.
 */
function starterOf(starters: readonly Starter[], template?: string, language?: Language): InitialFile | undefined {
  const named = starters.find(({ fileName }) => fileName === template);
  if (named !== undefined || language === undefined) return named ?? starters[0];
  const empty = { fileName: `kernel${EXTENSIONS[language][0]}`, source: "" };
  return starters.find((starter) => starter.language === language) ?? empty;
}
