/**
 * KernelBench pages: models, entries, problems, the matrix, and submission. Every action is also available in the API.
 */
import {
  BaselineText,
  isSameHardware,
  KernelBotError,
  LEVELS,
  quote,
  SuiteKey,
  SuiteName,
  TargetName,
  type BaselineChoice,
  type KernelBenchEntry,
  type SuiteSummary,
} from "@kernelbot/core";
import {
  MAX_CURVES,
  curveOf,
  entryPage,
  entryPath,
  entrySubmitPage,
  FIGURE_KINDS,
  FILTER_OUTCOMES,
  matrixPage,
  modelsPage,
  rankedEntries,
  suiteProblemPage,
  suitesPage,
  updatesPath,
  type EntrySubmitPage,
} from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Viewer } from "../../auth/visibility.ts";
import { hasRole, type Identity } from "../../auth/identity.ts";
import { listBaselines } from "../baselines.ts";
import { checkFile } from "../check-file.ts";
import {
  createEntry,
  listEntries,
  listWithResults,
  readEntry,
  readEntryRevision,
  readListRevision,
  type EntryFilter,
} from "../entries.ts";
import { resumeEntry, stopEntry } from "../evaluate.ts";
import { readMatrix } from "../matrix.ts";
import { readSuiteProblem } from "../problem.ts";
import { publishEntry } from "../publish.ts";
import { listSuites, readSuite } from "../suites.ts";
import { throttle, type Limit } from "../../auth/rate-limits.ts";
import { viewerOf } from "../../http/identify.ts";
import { Id } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { signed } from "../../http/forms.ts";
import { validated, wholeNumber } from "../../http/input.ts";
import { readFormData } from "../../submissions/routes/multipart.ts";
import { originOf } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";

const EAGER: BaselineChoice = { kind: "eager" };

/** Filters in the query. Invalid values are ignored, so that a mistyped link still opens the page. */
const Choice = z.object({
  figures: z.enum(FIGURE_KINDS).catch("official"),
  baseline: BaselineText.catch(EAGER),
});
const Filter = z.object({
  level: z.coerce.number().pipe(z.literal(LEVELS)).nullable().catch(null),
  outcome: z.enum(FILTER_OUTCOMES).nullable().catch(null),
  search: z.string().max(200).catch(""),
});
const On = z.object({ suite: SuiteName.optional(), target: TargetName.optional() });
const ProblemAddress = z.object({ suite: SuiteName, level: wholeNumber(1, 3), problem: wholeNumber(1, 999) });

/** Form field with suite and target, separated by a space. */
const OnField = z.string().transform((text, context) => {
  const [suite, target] = text.split(" ");
  const on = z.object({ suite: SuiteName, target: TargetName }).safeParse({ suite, target });
  if (on.success) return on.data;
  context.addIssue("choose a suite and a target");
  return z.NEVER;
});
const SubmitFields = z.object({
  on: OnField,
  act: z.enum(["validate", "submit"]),
  compiled: z.literal("1").optional(),
});

/** Limit of file checks per account; checking a file costs the server as much as many pages. */
const CHECKS: Limit = { times: 60, windowS: 60, what: "to check a file" };

const ENTRY = "/kernelbench/entries/:id{[0-9]+}";

export function mountKernelbenchPages(app: Hono<HttpEnv>, services: Services): void {
  const { database, site } = services;

  app.get("/kernelbench", async (c) => {
    c.header("cache-control", "private, no-cache");
    const viewer = await viewerOf(c, services);
    const choice = Choice.parse(c.req.query());
    const suites = await listSuites(database);
    const shown = chosen(suites, validated(On, c.req.query()));
    const of = shown === null ? null : { suite: shown.suite.name, target: shown.target };
    // Read before the content, so that a change in between is not missed.
    const revision = of === null ? 0 : await readListRevision(database, viewer, of);
    const listed = of === null ? [] : await listWithResults(database, viewer, { ...of, baseline: choice.baseline });
    const entries = listed.map(({ entry }) => entry);
    const { stored, baselines } = await againstOf(c, of === null ? [] : await devicesOf(viewer, of));
    const results = new Map(listed.map((each) => [each.entry.id, each.results]));
    const curves = await Promise.all(
      rankedEntries(entries, choice.figures)
        .slice(0, MAX_CURVES)
        .map(async ({ entry }) => {
          const suite = await readSuite(database, entry.suite, entry.suiteVersion);
          return curveOf({ ...entry, results: results.get(entry.id) ?? [] }, suite, choice.figures, stored);
        }),
    );
    return c.html(
      await modelsPage({
        suites,
        shown,
        choice,
        baselines,
        entries,
        curves,
        updates: of === null ? "" : updatesPath(of, revision),
        server: originOf(c, site),
        visit: visitOf(c, services, viewer),
      }),
    );
  });

  app.get("/kernelbench/matrix", async (c) => {
    c.header("cache-control", "private, no-cache");
    const viewer = await viewerOf(c, services);
    const shown = chosen(await listSuites(database), validated(On, c.req.query()));
    if (shown === null) return c.redirect("/kernelbench", 303);
    const { target } = shown;
    const against = await againstOf(c, await devicesOf(viewer, { suite: shown.suite.name, target }));
    const matrix = await readMatrix(database, viewer, shown.suite.name, target, against.baseline);
    return c.html(await matrixPage({ ...matrix, ...against, target, visit: visitOf(c, services, viewer) }));
  });

  app.get("/kernelbench/suites", async (c) => {
    c.header("cache-control", "private, no-cache");
    const viewer = await viewerOf(c, services);
    const suites = await Promise.all((await listSuites(database)).map(({ name }) => readSuite(database, name)));
    return c.html(await suitesPage({ suites, visit: visitOf(c, services, viewer) }));
  });

  app.get("/kernelbench/problems/:suite/:level/:problem", async (c) => {
    c.header("cache-control", "private, no-cache");
    const { suite: name, ...address } = validated(ProblemAddress, c.req.param());
    const key = SuiteKey.parse(address);
    const viewer = await viewerOf(c, services);
    const suite = await readSuite(database, name);
    const target = validated(On, c.req.query()).target ?? suite.targets[0] ?? "";
    const against = await againstOf(c, await devicesOf(viewer, { suite: name, target }));
    const found = await readSuiteProblem(database, viewer, name, key, { target, baseline: against.baseline });
    return c.html(await suiteProblemPage({ ...found, ...against, suite, target, visit: visitOf(c, services, viewer) }));
  });

  app.get("/kernelbench/submit", async (c) => {
    c.header("cache-control", "private, no-store");
    const { suite = "", target = "" } = validated(On, c.req.query());
    const fields = { on: `${suite} ${target}`, compiled: false };
    return submitPage(c, await viewerOf(c, services), { fields, checked: null });
  });

  app.post(
    "/kernelbench/submit",
    signed(services, async (c, identity) => {
      const form = await readFormData(c);
      const text = (name: string): string | undefined => {
        const value = form.get(name);
        return typeof value === "string" ? value : undefined;
      };
      const fields = { on: text("on") ?? "", compiled: text("compiled") === "1" };
      const file = form.get("file");
      try {
        const { on, act } = validated(SubmitFields, { on: fields.on, act: text("act"), compiled: text("compiled") });
        if (!(file instanceof File) || file.name === "") throw new KernelBotError("unprocessable", "choose a file");
        await throttle(database, "entry check", identity.account.id, CHECKS);
        const suite = await readSuite(database, on.suite);
        const found = await checkFile(new Uint8Array(await file.arrayBuffer()), suite);
        if (act === "submit" && found.file !== null) {
          const request = { ...on, file: found.file, compiledBaseline: fields.compiled };
          const { entry } = await createEntry(database, identity, request);
          return c.redirect(entryPath(entry.id), 303);
        }
        const checked = { check: found.check, fileName: file.name };
        return await submitPage(c, identity, { fields, checked }, found.check.ok ? 200 : 422);
      } catch (problem) {
        if (!(problem instanceof KernelBotError) || problem.status >= 500) throw problem;
        return submitPage(c, identity, { fields, checked: null, problem: problem.message }, problem.status);
      }
    }),
  );

  app.get(ENTRY, async (c) => {
    c.header("cache-control", "private, no-cache");
    return show(c, await viewerOf(c, services));
  });
  app.post(`${ENTRY}/stop`, act(stopEntry));
  app.post(`${ENTRY}/resume`, act(resumeEntry));
  app.post(`${ENTRY}/publish`, act(publishEntry));

  async function submitPage(
    c: Context<HttpEnv>,
    viewer: Viewer,
    page: Pick<EntrySubmitPage, "fields" | "checked" | "problem">,
    status: KernelBotError["status"] | 200 = 200,
  ): Promise<Response> {
    const suites = await listSuites(database);
    return c.html(await entrySubmitPage({ ...page, suites, visit: visitOf(c, services, viewer) }), status);
  }

  /** Returns the devices on which each listed entry was judged. */
  async function devicesOf(viewer: Viewer, of: EntryFilter): Promise<readonly (readonly string[])[]> {
    return (await listEntries(database, viewer, of)).map(({ score }) => score.hardware);
  }

  /**
   * Returns the baseline selected in the query, its times if it is a stored one, and the ids of the stored baselines
   * that can be selected: those measured on the same hardware as an entry.
   */
  async function againstOf(c: Context<HttpEnv>, entries: readonly (readonly string[])[]) {
    const { baseline } = Choice.parse(c.req.query());
    const all = await listBaselines(database);
    const chosen = baseline.kind === "stored" ? all.find(({ id }) => id === baseline.id) : undefined;
    const offered = all.filter(
      (one) => one === chosen || entries.some((devices) => devices.length > 0 && isSameHardware(one, devices)),
    );
    return { baseline, stored: chosen?.times ?? [], baselines: offered.map(({ id }) => id) };
  }

  /**
   * Returns the handler of a button: performs the action, then redirects to the page, or shows the page with the error.
   */
  function act(does: (data: Services["database"], identity: Identity, id: number) => Promise<unknown>) {
    return signed(services, async (c, identity) => {
      const { id } = validated(Id, c.req.param());
      try {
        await does(database, identity, id);
      } catch (problem) {
        if (!(problem instanceof KernelBotError) || problem.status >= 500) throw problem;
        return show(c, identity, problem);
      }
      return c.redirect(entryPath(id), 303);
    });
  }

  /**
   * Responds with the page of an entry and the error of an action, if any.
   * @throws KernelBotError `not_found` where the entry does not exist for this viewer; the error of the action is then
   * not shown.
   */
  async function show(c: Context<HttpEnv>, viewer: Viewer, problem?: KernelBotError): Promise<Response> {
    const { id } = validated(Id, c.req.param());
    // Read before the content, so that a change in between is not missed.
    const revision = await readEntryRevision(database, viewer, id);
    const entry = await readEntry(database, viewer, id, Choice.parse(c.req.query()).baseline);
    const { baseline: _, ...against } = await againstOf(c, [entry.score.hardware]);
    const page = {
      ...against,
      entry,
      suite: await readSuite(database, entry.suite, entry.suiteVersion),
      filter: Filter.parse(c.req.query()),
      acts: actsOf(entry, viewer),
      updates: `${entryPath(id)}/updates?after=${revision}`,
      problem: problem?.message,
      visit: visitOf(c, services, viewer),
    };
    return c.html(await entryPage(page), problem?.status ?? 200);
  }
}

/**
 * Returns the requested suite and target, by default the first suite and its first target; null where there are no
 * suites.
 * @throws KernelBotError `not_found` for an unknown suite.
 */
function chosen(
  suites: readonly SuiteSummary[],
  { suite: name, target }: z.infer<typeof On>,
): { suite: SuiteSummary; target: string } | null {
  const suite = name === undefined ? suites[0] : suites.find((each) => each.name === name);
  if (suite !== undefined) return { suite, target: target ?? suite.targets[0] ?? "" };
  if (name === undefined) return null;
  throw new KernelBotError("not_found", `there is no suite ${quote(name)}`);
}

/**
 * Returns the actions that the viewer may perform: the owner and moderators may stop and resume an entry, only the
 * owner may publish it.
 */
function actsOf({ account, progress, publishedAt }: KernelBenchEntry, viewer: Viewer) {
  const isOwn = viewer !== undefined && viewer.account.id === account.id;
  const may = isOwn || (viewer !== undefined && hasRole(viewer, "moderator"));
  const isGoingOn = progress.queued + progress.running > 0;
  return {
    stop: may && isGoingOn,
    resume: may && (progress.lost > 0 || (progress.waiting > 0 && !isGoingOn)),
    publish: isOwn && publishedAt === null && !isGoingOn,
  };
}
