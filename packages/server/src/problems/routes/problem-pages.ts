/** The pages of problems: the list, each problem, and its files. */
import { KernelBotError, ProblemName, quote, startersOf, type ProblemDetail } from "@kernelbot/core";
import { problemFilePage, problemPage, problemsPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { listBoards } from "../../boards/boards.ts";
import { noProblem, type Viewer } from "../../auth/visibility.ts";
import { listCompetitions } from "../../competitions/competitions.ts";
import { readProblemDetail } from "../../boards/problem.ts";
import { listProblems } from "../problems.ts";
import { viewerOf } from "../../http/identify.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { ProblemsAsked } from "./problems.ts";
import { visitOf } from "../../http/page-context.ts";

const ProblemAddress = z.object({ name: ProblemName });
const FileAddress = ProblemAddress.extend({ file: z.string().max(1000) });
const FileAsked = z.object({ download: z.literal("1", "use 1").optional() });

/** The filter of the list; empty form fields are ignored. */
const FormAsked = z.preprocess(
  (query) => Object.fromEntries(Object.entries(query as object).filter(([, value]) => value !== "")),
  ProblemsAsked,
);

export function mountProblemPages(app: Hono<HttpEnv>, services: Services): void {
  const { database } = services;

  app.get("/problems", async (c) => {
    const asked = validated(FormAsked, c.req.query());
    const viewer = await viewerOf(c, services);
    const [problems, boards, competitions] = await Promise.all([
      listProblems(database, viewer, asked),
      listBoards(database, viewer, asked.competition),
      listCompetitions(database, viewer),
    ]);
    return c.html(
      await problemsPage({ problems, boards, competitions, filter: asked, visit: visitOf(c, services, viewer) }),
    );
  });

  app.get("/problems/:name", async (c) => {
    const viewer = await viewerOf(c, services);
    const problem = await problemOf(viewer, validated(ProblemAddress, c.req.param()).name);
    const server = originOf(c, services.site);
    return c.html(await problemPage({ problem, server, now: new Date(), visit: visitOf(c, services, viewer) }));
  });

  app.get("/problems/:name/files/:file", async (c) => {
    const { name, file } = validated(FileAddress, c.req.param());
    const { download } = validated(FileAsked, c.req.query());
    const viewer = await viewerOf(c, services);
    const { files } = await problemOf(viewer, name);
    const text = Object.hasOwn(files, file) ? files[file] : undefined;
    if (text === undefined) throw noFile(name, file);
    if (download !== undefined) return attachment(c, file, text);
    return c.html(await problemFilePage({ problem: name, name: file, text, visit: visitOf(c, services, viewer) }));
  });

  app.get("/problems/:name/starters/:file", async (c) => {
    const { name, file } = validated(FileAddress, c.req.param());
    const problem = await problemOf(await viewerOf(c, services), name);
    const starter = startersOf(problem).find(({ fileName }) => fileName === file);
    if (starter === undefined) throw noFile(name, file);
    return attachment(c, file, starter.source);
  });

  async function problemOf(viewer: Viewer, name: string): Promise<ProblemDetail> {
    const found = await readProblemDetail(database, viewer, name);
    if (found === null) throw noProblem(name);
    return found;
  }
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
