/**
 * KernelBench pages: models, entries, problems, the matrix, and submission. Every action is also available in the API.
 */
import { ENTRY_BODY, Id, wholeNumber } from "@kernelbot/api";
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
} from "@kernelbot/web";
import { z } from "zod";
import type { Viewer } from "../../auth/visibility.ts";
import { readAvailabilities } from "../../queue/availability.ts";
import { hasRole } from "../../auth/identity.ts";
import { listBaselines } from "../baselines.ts";
import { checkFile } from "../check-file.ts";
import {
  createEntry,
  listEntries,
  listWithResults,
  readEntry,
  readEntryChangeNumber,
  readListChangeNumber,
  type EntryFilter,
} from "../entries.ts";
import { resumeEntry, stopEntry } from "../evaluate.ts";
import { readMatrix } from "../matrix.ts";
import { readSuiteProblem } from "../problem.ts";
import { publishEntry } from "../publish.ts";
import { listSuites, readSuite } from "../suites.ts";
import { throttle, type Limit } from "../../auth/rate-limits.ts";
import type { Database } from "../../db/database.ts";
import { validated } from "../../http/input.ts";
import { readFormData } from "../../submissions/routes/multipart.ts";
import { originOf } from "../../http/origin.ts";
import { form, page, type PageRoute } from "../../http/page.ts";

/** The suite and target of a page. */
const On = z.object({ suite: SuiteName.optional(), target: TargetName.optional() });
/** The baseline that speedups refer to. An invalid value is ignored, so that a mistyped link still opens the page. */
const Against = z.object({ baseline: BaselineText.catch({ kind: "eager" }) });
/** Filters of an entry's results; invalid values are ignored in the same way. */
const EntryQuery = Against.extend({
  level: z.coerce.number().pipe(z.literal(LEVELS)).nullable().catch(null),
  outcome: z.enum(FILTER_OUTCOMES).nullable().catch(null),
  search: z.string().max(200).catch(""),
});

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

const entry = page({
  path: "/kernelbench/entries/:id{[0-9]+}",
  access: "viewer",
  params: Id,
  query: EntryQuery,
  async handle({ services: { database }, identity: viewer, params: { id }, query, visit, rejected }) {
    const { baseline, ...filter } = query;
    // Read before the content, so that a change in between is not missed.
    const changeNumber = await readEntryChangeNumber(database, viewer, id);
    const found = await readEntry(database, viewer, id, baseline);
    const { stored, baselines } = await baselinesFor(database, baseline, [found.score.hardware]);
    return entryPage({
      stored,
      baselines,
      entry: found,
      suite: await readSuite(database, found.suite, found.suiteVersion),
      runners: (await readAvailabilities(database))(found.target),
      now: new Date(),
      filter,
      acts: actsOf(found, viewer),
      updates: `${entryPath(id)}/updates?after=${changeNumber}`,
      problem: rejected?.problem,
      visit,
    });
  },
});

const ACTIONS = { stop: stopEntry, resume: resumeEntry, publish: publishEntry };

export const kernelbenchPages: readonly PageRoute[] = [
  page({
    path: "/kernelbench",
    access: "viewer",
    query: On.extend({ ...Against.shape, figures: z.enum(FIGURE_KINDS).catch("official") }),
    async handle({ c, services, identity: viewer, query: { suite, target, ...choice }, visit }) {
      const { database } = services;
      const suites = await listSuites(database);
      const shown = chosen(suites, { suite, target });
      const of = shown === null ? null : { suite: shown.suite.name, target: shown.target };
      // Read before the content, so that a change in between is not missed.
      const changeNumber = of === null ? 0 : await readListChangeNumber(database, viewer, of);
      const listed = of === null ? [] : await listWithResults(database, viewer, { ...of, baseline: choice.baseline });
      const entries = listed.map((each) => each.entry);
      const devices = of === null ? [] : await devicesOf(database, viewer, of);
      const { stored, baselines } = await baselinesFor(database, choice.baseline, devices);
      const results = new Map(listed.map((each) => [each.entry.id, each.results]));
      const curves = await Promise.all(
        rankedEntries(entries, choice.figures)
          .slice(0, MAX_CURVES)
          .map(async (ranked) => {
            const suite = await readSuite(database, ranked.entry.suite, ranked.entry.suiteVersion);
            const measured = { ...ranked.entry, results: results.get(ranked.entry.id) ?? [] };
            return curveOf(measured, suite, choice.figures, stored);
          }),
      );
      return modelsPage({
        suites,
        shown,
        choice,
        baselines,
        entries,
        curves,
        updates: of === null ? "" : updatesPath(of, changeNumber),
        server: originOf(c, services.site),
        visit,
      });
    },
  }),

  page({
    path: "/kernelbench/matrix",
    access: "viewer",
    query: On.extend(Against.shape),
    async handle({ c, services: { database }, identity: viewer, query, visit }) {
      const shown = chosen(await listSuites(database), query);
      if (shown === null) return c.redirect("/kernelbench", 303);
      const { target } = shown;
      const devices = await devicesOf(database, viewer, { suite: shown.suite.name, target });
      const against = await baselinesFor(database, query.baseline, devices);
      const matrix = await readMatrix(database, viewer, shown.suite.name, target, query.baseline);
      return matrixPage({ ...matrix, ...against, target, visit });
    },
  }),

  page({
    path: "/kernelbench/suites",
    access: "viewer",
    async handle({ services: { database }, visit }) {
      const suites = await Promise.all((await listSuites(database)).map(({ name }) => readSuite(database, name)));
      return suitesPage({ suites, visit });
    },
  }),

  page({
    path: "/kernelbench/problems/:suite/:level/:problem",
    access: "viewer",
    params: z.object({ suite: SuiteName, level: wholeNumber(1, 3), problem: wholeNumber(1, 999) }),
    query: On.extend(Against.shape),
    async handle({ services: { database }, identity: viewer, params: { suite: name, ...address }, query, visit }) {
      const key = SuiteKey.parse(address);
      const suite = await readSuite(database, name);
      const target = query.target ?? suite.targets[0] ?? "";
      const devices = await devicesOf(database, viewer, { suite: name, target });
      const against = await baselinesFor(database, query.baseline, devices);
      const found = await readSuiteProblem(database, viewer, name, key, { target, baseline: query.baseline });
      return suiteProblemPage({ ...found, ...against, suite, target, visit });
    },
  }),

  page({
    path: "/kernelbench/submit",
    access: "viewer",
    query: On,
    cacheControl: "private, no-store",
    async handle({ services, query: { suite = "", target = "" }, visit }) {
      const fields = { on: `${suite} ${target}`, compiled: false };
      return entrySubmitPage({ fields, checked: null, suites: await listSuites(services.database), visit });
    },
  }),

  form({
    path: "/kernelbench/submit",
    bodyLimit: ENTRY_BODY,
    async handle({ c, services: { database }, identity, visit }) {
      const body = await readFormData(c);
      const text = (name: string): string | undefined => {
        const value = body.get(name);
        return typeof value === "string" ? value : undefined;
      };
      const fields = { on: text("on") ?? "", compiled: text("compiled") === "1" };
      const file = body.get("file");
      try {
        const { on, act } = validated(SubmitFields, { on: fields.on, act: text("act"), compiled: text("compiled") });
        if (!(file instanceof File) || file.name === "") throw new KernelBotError("unprocessable", "choose a file");
        await throttle(database, "entry check", identity.account.id, CHECKS);
        const suite = await readSuite(database, on.suite);
        const found = await checkFile(new Uint8Array(await file.arrayBuffer()), suite);
        if (act === "submit" && found.file !== null) {
          const request = { ...on, file: found.file, compiledBaseline: fields.compiled };
          const created = await createEntry(database, identity, request);
          return entryPath(created.entry.id);
        }
        const checked = { check: found.check, fileName: file.name };
        const suites = await listSuites(database);
        return c.html(await entrySubmitPage({ fields, checked, suites, visit }), found.check.ok ? 200 : 422);
      } catch (problem) {
        if (!(problem instanceof KernelBotError) || problem.status >= 500) throw problem;
        const suites = await listSuites(database);
        const shown = { fields, checked: null, problem: problem.message, suites, visit };
        return c.html(await entrySubmitPage(shown), problem.status);
      }
    },
  }),

  entry,

  ...Object.entries(ACTIONS).map(([action, perform]) =>
    form({
      path: `/kernelbench/entries/:id{[0-9]+}/${action}`,
      on: entry,
      handle: ({ services, identity, params: { id } }) => perform(services.database, identity, id),
      redirectTo: ({ params }) => entryPath(params.id),
    }),
  ),
];

/** Returns the devices on which each listed entry was judged. */
async function devicesOf(database: Database, viewer: Viewer, of: EntryFilter) {
  return (await listEntries(database, viewer, of)).map(({ score }) => score.hardware);
}

/**
 * Returns the selected baseline, its times if it is a stored one, and the ids of the stored baselines that can be
 * selected: those measured on the same hardware as an entry.
 */
async function baselinesFor(database: Database, baseline: BaselineChoice, entries: readonly (readonly string[])[]) {
  const all = await listBaselines(database);
  const chosen = baseline.kind === "stored" ? all.find(({ id }) => id === baseline.id) : undefined;
  const offered = all.filter(
    (one) => one === chosen || entries.some((devices) => devices.length > 0 && isSameHardware(one, devices)),
  );
  return { baseline, stored: chosen?.times ?? [], baselines: offered.map(({ id }) => id) };
}

/**
 * Returns the requested suite and target, by default the suite with the most problems and its first target; null where
 * there are no suites.
 * @throws KernelBotError `not_found` for an unknown suite.
 */
function chosen(
  suites: readonly SuiteSummary[],
  { suite: name, target }: z.infer<typeof On>,
): { suite: SuiteSummary; target: string } | null {
  const largestFirst = suites.toSorted((a, b) => b.problemCount - a.problemCount);
  const suite = name === undefined ? largestFirst[0] : suites.find((each) => each.name === name);
  if (suite !== undefined) return { suite, target: target ?? suite.targets[0] ?? "" };
  if (name === undefined) return null;
  throw new KernelBotError("not_found", `suite ${quote(name)} does not exist`);
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
