/** Pages of the dataset: snapshots and their analysis. Every action is also available in the API. */
import { Id } from "@kernelbot/api";
import { readFile } from "node:fs/promises";
import {
  ANALYSIS_KINDS,
  CompetitionName,
  KernelBotError,
  PublicationDestination,
  quote,
  SnapshotRequest,
  type SnapshotDetails,
} from "@kernelbot/core";
import { analysisPage, dataPage, licencesIn, snapshotPage } from "@kernelbot/web";
import { z } from "zod";
import type { Viewer } from "../../auth/visibility.ts";
import { readAnalysis } from "../analysis.ts";
import { offeredCompetitions } from "../requestable.ts";
import { requestPublication } from "../publish/publications.ts";
import { listSnapshots, readSnapshot, requestSnapshot, snapshotFile } from "../snapshots.ts";
import { hasRole } from "../../auth/identity.ts";
import { csv } from "./csv.ts";
import type { Database } from "../../db/database.ts";
import type { Services } from "../../services.ts";
import { requireMediaType, validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { form, page, type PageRoute } from "../../http/page.ts";

const OfCompetition = Id.extend({ competition: CompetitionName });
const OfTable = OfCompetition.extend({ table: z.enum(ANALYSIS_KINDS) });

/** Filters in the query. Invalid values are ignored, so that a mistyped link still opens the page. */
const Choice = z.object({
  problem: z.string().max(200).optional().catch(undefined),
  target: z.string().max(200).optional().catch(undefined),
});

/** Snapshots shown on the page. */
const SHOWN = 50;

const list = page({
  path: "/data",
  access: "viewer",
  async handle({ services: { database }, identity: viewer, visit, rejected }) {
    const [snapshots, offered] = await Promise.all([
      listSnapshots(database, viewer),
      viewer !== undefined && hasRole(viewer, "organiser") ? offeredCompetitions(database, viewer) : null,
    ]);
    const shown = snapshots.slice(0, SHOWN).map(async (snapshot) => {
      const details = await readSnapshot(database, viewer, snapshot.id);
      return { ...snapshot, licences: licencesIn(details.manifest) };
    });
    return dataPage({
      visit,
      snapshots: await Promise.all(shown),
      offered,
      mayTakeAll: viewer !== undefined && hasRole(viewer, "administrator"),
      problem: rejected?.problem,
    });
  },
});

const snapshot = page({
  path: "/data/:id{[0-9]+}",
  access: "viewer",
  params: Id,
  async handle({ c, services, identity: viewer, params: { id }, visit, rejected }) {
    const found = await readSnapshot(services.database, viewer, id);
    return snapshotPage({
      visit,
      snapshot: found,
      card: await readCard(services, viewer, found),
      server: originOf(c, services.site),
      mayPublish: viewer !== undefined && hasRole(viewer, "administrator") && found.state !== "failed",
      problem: rejected?.problem,
    });
  },
});

export const dataPages: readonly PageRoute[] = [
  list,

  form({
    path: "/data",
    on: list,
    async handle({ c, services, identity }) {
      requireMediaType(c, ["application/x-www-form-urlencoded"]);
      const fields = new URLSearchParams(await c.req.text());
      const competitions = fields.has("all") ? "ended" : fields.getAll("competition");
      const request = validated(
        SnapshotRequest,
        { competitions, provisional: fields.has("provisional") },
        { competitions: "choose a competition" },
      );
      const { id } = await requestSnapshot(services.database, identity, request);
      return `/data/${id}`;
    },
  }),

  snapshot,

  form({
    path: "/data/:id{[0-9]+}/publish",
    on: snapshot,
    fields: z.object({ destination: PublicationDestination }),
    handle: ({ services, identity, params: { id }, fields }) =>
      requestPublication(services.database, identity, id, fields.destination),
    redirectTo: ({ params: { id } }) => `/data/${id}`,
  }),

  page({
    path: "/data/:id{[0-9]+}/:competition",
    access: "viewer",
    params: OfCompetition,
    query: Choice,
    async handle({ services: { database }, identity, params: { id, competition }, query: { problem, target }, visit }) {
      const described = await getDescription(database, identity, id, competition);
      return analysisPage({
        visit,
        snapshot: { id, competition: described },
        tables: await readAnalysis(database, id, competition),
        board: problem === undefined || target === undefined ? null : { problem, target },
      });
    },
  }),

  page({
    path: "/data/:id{[0-9]+}/:competition/:table",
    access: "viewer",
    params: OfTable,
    query: z.object({ format: z.enum(["csv", "json"]).default("json") }),
    async handle({ c, services: { database }, identity, params: { id, competition, table }, query: { format } }) {
      await getDescription(database, identity, id, competition);
      const tables = await readAnalysis(database, id, competition);
      if (typeof tables !== "object")
        throw new KernelBotError("not_found", `snapshot ${id} has no table ${quote(table)} for ${competition}`);
      const rows = tables[table];
      return c.body(format === "csv" ? csv(table, rows) : `${JSON.stringify({ rows })}\n`, 200, {
        "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/json",
        "content-disposition": `attachment; filename="${competition}-${table}.${format}"`,
        "cache-control": "private, no-cache",
      });
    },
  }),
];

/**
 * Returns the description of a competition in a snapshot's manifest.
 * @throws KernelBotError `not_found` where the viewer may not see the snapshot, or it does not contain the
 * competition.
 */
async function getDescription(database: Database, viewer: Viewer, id: number, competition: string) {
  const { manifest } = await readSnapshot(database, viewer, id);
  const described = manifest?.competitions.find(({ name }) => name === competition);
  if (described !== undefined) return described;
  throw new KernelBotError("not_found", `snapshot ${id} does not contain the competition ${quote(competition)}`);
}

const CARD = "README.md";

/**
 * Returns the dataset card without its YAML header, which is for dataset hubs; null where the snapshot has no card or
 * its files are deleted.
 */
async function readCard({ database, datasets }: Services, viewer: Viewer, { id, manifest }: SnapshotDetails) {
  if (manifest?.files.some(({ path }) => path === CARD) !== true) return null;
  const { path } = await snapshotFile(database, viewer, datasets, id, CARD);
  const text = await readFile(path, "utf8").catch(() => null);
  return text?.replace(/^---\n[^]*?\n---\n/, "") ?? null;
}
