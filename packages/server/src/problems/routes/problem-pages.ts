/** The pages of problems: the list, each problem, and its files. */
import { api, wholeNumber } from "@kernelbot/api";
import { KernelBotError, ProblemName, quote, startersOf, type ProblemDetail } from "@kernelbot/core";
import { pageWith, problemFilePage, problemPage, problemsPage } from "@kernelbot/web";
import type { Context } from "hono";
import { z } from "zod";
import { listBoards } from "../../boards/list.ts";
import { noProblem, type Viewer } from "../../auth/visibility.ts";
import { listCompetitions } from "../../competitions/competitions.ts";
import { readProblemDetail } from "../../boards/problem.ts";
import { countProblems, listProblems, listTags } from "../problems.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { originOf } from "../../http/origin.ts";
import { page, type PageRoute } from "../../http/page.ts";

const ProblemAddress = z.object({ name: ProblemName });
const FileAddress = ProblemAddress.extend({ file: z.string().max(1000) });

/** The filter of the list; empty form fields are ignored. */
const FormAsked = z.preprocess(
  (query) => Object.fromEntries(Object.entries(query as object).filter(([, value]) => value !== "")),
  // An invalid row is ignored, so that a mistyped link still opens the list.
  api.problems.list.query.extend({ from: wholeNumber(1, 2 ** 31 - 1).catch(1) }),
);

export const problemPages: readonly PageRoute[] = [
  page({
    path: "/problems",
    access: "viewer",
    query: FormAsked,
    async handle({ services: { database }, identity, query: { from, ...filter }, visit }) {
      const span = pageWith(from, await countProblems(database, identity, filter));
      const problems = await listProblems(database, identity, filter, span);
      const [boards, competitions, tags] = await Promise.all([
        listBoards(database, identity, { ...filter, problems: problems.map(({ name }) => name) }),
        listCompetitions(database, identity),
        listTags(database, identity),
      ]);
      return problemsPage({ problems, boards, competitions, tags, filter, span, visit });
    },
  }),

  page({
    path: "/problems/:name",
    access: "viewer",
    params: ProblemAddress,
    async handle({ c, services, identity, params, visit }) {
      const problem = await getProblem(services, identity, params.name);
      return problemPage({ problem, server: originOf(c, services.site), now: new Date(), visit });
    },
  }),

  page({
    path: "/problems/:name/files/:file",
    access: "viewer",
    params: FileAddress,
    query: z.object({ download: z.literal("1", "use 1").optional() }),
    async handle({ c, services, identity, params: { name, file }, query, visit }) {
      const { files } = await getProblem(services, identity, name);
      const text = Object.hasOwn(files, file) ? files[file] : undefined;
      if (text === undefined) throw noFile(name, file);
      if (query.download !== undefined) return attachment(c, file, text);
      return problemFilePage({ problem: name, name: file, text, visit });
    },
  }),

  page({
    path: "/problems/:name/starters/:file",
    access: "viewer",
    params: FileAddress,
    async handle({ c, services, identity, params: { name, file } }) {
      const problem = await getProblem(services, identity, name);
      const starter = startersOf(problem).find(({ fileName }) => fileName === file);
      if (starter === undefined) throw noFile(name, file);
      return attachment(c, file, starter.source);
    },
  }),
];

async function getProblem({ database }: Services, viewer: Viewer, name: string): Promise<ProblemDetail> {
  const found = await readProblemDetail(database, viewer, name);
  if (found === null) throw noProblem(name);
  return found;
}

function noFile(problem: string, file: string): KernelBotError {
  return new KernelBotError("not_found", `the problem ${quote(problem)} has no file ${quote(file)}`);
}

/** Responds with a text file as an attachment in text/plain, whatever its extension. */
function attachment(c: Context<HttpEnv>, name: string, text: string): Response {
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return c.body(text, 200, {
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": `attachment; filename*=UTF-8''${encoded}`,
  });
}
