/** The page with the source editor, and the form that submits from it. */
import {
  EXTENSIONS,
  KernelBotError,
  Language,
  ProblemName,
  startersOf,
  TargetName,
  type Starter,
  type Submission,
} from "@kernelbot/core";
import { editorPage, type EditorPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { noProblem, type Viewer } from "../../auth/visibility.ts";
import { submit } from "../submit.ts";
import { readTerms } from "../terms.ts";
import { readProblem } from "../../problems/problems.ts";
import { sourceRefusal } from "../source-access.ts";
import { listSubmissions, readSource, readSubmission } from "../views.ts";
import { viewerOf } from "../../http/identify.ts";
import { sessionOf } from "../../http/cookies.ts";
import { idempotencyKey, isFormKey, newKey, readFilledForm, requestOf, withFile } from "./editor-form.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { validated, wholeNumber } from "../../http/input.ts";
import { setRateLimitHeaders } from "./limits.ts";
import { setErrorHeaders } from "../../http/errors.ts";
import { requireSameOrigin } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";

/** Maximum number of the viewer's own submissions on the page. */
const LISTED = 20;

const Address = z.object({ name: ProblemName });
const Begin = z.object({
  /** Id of a submission whose source the viewer may read. */
  from: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  /** File name of a starter template. */
  template: z.string().max(200).optional(),
  language: Language.optional(),
  target: TargetName.optional(),
});
type Begin = z.infer<typeof Begin>;
type Begun = Pick<Starter, "fileName" | "source">;

/** The parts of the page that depend on the problem and the viewer, not on the input. */
type Scene = Pick<EditorPage, "problem" | "terms" | "starters" | "submissions">;

export function mountEditorPages(app: Hono<HttpEnv>, services: Services): void {
  const { database } = services;

  app.get("/problems/:name/submit", async (c) => {
    c.header("cache-control", "private, no-store");
    const { name } = validated(Address, c.req.param());
    const viewer = await viewerOf(c, services);
    const asked = validated(Begin, c.req.query());
    const scene = await sceneOf(viewer, name);
    const begun = await beginning(viewer, scene, asked);
    return show(c, viewer, { ...scene, ...begun, key: newKey() });
  });

  app.post("/problems/:name/submit", async (c) => {
    requireSameOrigin(c, services.site);
    c.header("cache-control", "private, no-store");
    const { name } = validated(Address, c.req.param());
    const identity = await sessionOf(c, services);
    const filled = await readFilledForm(c);
    let { fields } = filled;
    try {
      // After a session has expired, the page is shown again with the input, so that the source is not lost.
      if (identity === null) throw new KernelBotError("unauthorized", "You are not signed in; sign in to hand it in.");
      fields = await withFile(filled);
      const request = requestOf(name, filled.mode, fields);
      const options = { idempotencyKey: idempotencyKey(filled.key, request) };
      const { submission, allowances } = await submit(database, identity, request, options);
      setRateLimitHeaders(c, allowances);
      return c.redirect(`/submissions/${submission.id}`, 303);
    } catch (problem) {
      if (!(problem instanceof KernelBotError) || problem.code === "internal") throw problem;
      setErrorHeaders(c, problem);
      const viewer = identity ?? undefined;
      const scene = await sceneOf(viewer, name);
      const key = isFormKey(filled.key) ? filled.key : newKey();
      const refused = { origin: "refused", fields, refusal: problem.message, key } as const;
      return show(c, viewer, { ...scene, ...refused }, problem.status);
    }
  });

  function show(
    c: Context<HttpEnv>,
    viewer: Viewer,
    options: Omit<EditorPage, "visit">,
    status: KernelBotError["status"] | 200 = 200,
  ): Promise<Response> {
    return editorPage({ ...options, visit: visitOf(c, services, viewer) }).then((text) => c.html(text, status));
  }

  async function sceneOf(viewer: Viewer, name: string): Promise<Scene> {
    const found = await readProblem(database, viewer, name);
    const terms = found && (await readTerms(database, viewer, found.problem.spec));
    if (found === null || terms === null) throw noProblem(name);
    return {
      problem: { name, description: found.description },
      terms,
      starters: startersOf(found.problem),
      submissions: viewer === undefined ? [] : await listSubmissions(database, viewer, { board: name, limit: LISTED }),
    };
  }

  /**
   * Returns the editor's initial content: an earlier submission or a starter. Targets and author are taken from the
   * viewer's earlier submissions.
   */
  async function beginning(
    viewer: Viewer,
    { terms, starters, submissions }: Scene,
    { from, template, language, target }: Begin,
  ): Promise<Pick<EditorPage, "fields" | "origin">> {
    const earlier = from === undefined ? undefined : await earlierOf(viewer, from);
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
  async function earlierOf(viewer: Viewer, id: number): Promise<{ submission: Submission; source: string }> {
    const refusal = await sourceRefusal(database, viewer, id);
    if (refusal !== null) throw refusal;
    const [submission, source] = await Promise.all([readSubmission(database, id), readSource(database, id)]);
    if (submission === null || source === null) throw new KernelBotError("not_found", `there is no submission ${id}`);
    return { submission, source };
  }
}

/**
 * Returns the requested starter; an empty file where the requested language has none; undefined where there is no
 * starter at all.
 */
function starterOf(starters: readonly Starter[], template?: string, language?: Language): Begun | undefined {
  const named = starters.find(({ fileName }) => fileName === template);
  if (named !== undefined || language === undefined) return named ?? starters[0];
  const empty = { fileName: `kernel${EXTENSIONS[language][0]}`, source: "" };
  return starters.find((starter) => starter.language === language) ?? empty;
}
