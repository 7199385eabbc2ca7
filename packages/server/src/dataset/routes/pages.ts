/** Pages of the dataset: snapshots and their analysis. Every action is also available in the API. */
import { readFile } from "node:fs/promises";
import {
  ANALYSIS_KINDS,
  CompetitionName,
  KernelBotError,
  PublicationDestination,
  quote,
  SnapshotRequest,
  type SnapshotDetails,
  type SnapshotManifest,
} from "@kernelbot/core";
import { analysisPage, dataPage, licencesIn, snapshotPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Viewer } from "../../auth/visibility.ts";
import { readAnalysis, readProgression } from "../analysis.ts";
import { offeredCompetitions } from "../requestable.ts";
import { requestPublication } from "../publish/publications.ts";
import { listSnapshots, readSnapshot, requestSnapshot, snapshotFile } from "../snapshots.ts";
import { hasRole } from "../../auth/identity.ts";
import { viewerOf } from "../../http/identify.ts";
import { csv } from "./csv.ts";
import { Id } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { formsOf } from "../../http/forms.ts";
import { readFields, requireMediaType, validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";

const OfCompetition = Id.extend({ competition: CompetitionName });
const OfTable = OfCompetition.extend({ table: z.enum(ANALYSIS_KINDS) });
const UserId = z.string().min(1).max(200);

/** Filters in the query. Invalid values are ignored, so that a mistyped link still opens the page. */
const Choice = z.object({
  problem: z.string().max(200).optional().catch(undefined),
  target: z.string().max(200).optional().catch(undefined),
  user: UserId.optional().catch(undefined),
});
const TableQuery = z.object({ format: z.enum(["csv", "json"]).default("json"), user: UserId.optional() });

export function mountDataPages(app: Hono<HttpEnv>, services: Services): void {
  const { database, datasets, site } = services;

  app.get("/data", async (c) => {
    c.header("cache-control", "private, no-cache");
    return c.html(await listPage(c, await viewerOf(c, services)));
  });

  app.post(
    "/data",
    formsOf(services, (c, identity, { problem }) => listPage(c, identity, problem))(async (c, identity) => {
      requireMediaType(c, ["application/x-www-form-urlencoded"]);
      const fields = new URLSearchParams(await c.req.text());
      const competitions = fields.has("all") ? "ended" : fields.getAll("competition");
      const request = validated(
        SnapshotRequest,
        { competitions, provisional: fields.has("provisional") },
        { competitions: "choose a competition" },
      );
      const { id } = await requestSnapshot(database, identity, request);
      return c.redirect(`/data/${id}`, 303);
    }),
  );

  app.get("/data/:id{[0-9]+}", async (c) => {
    c.header("cache-control", "private, no-cache");
    return c.html(await onePage(c, await viewerOf(c, services)));
  });

  app.post(
    "/data/:id{[0-9]+}/publish",
    formsOf(services, (c, identity, { problem }) => onePage(c, identity, problem))(async (c, identity) => {
      const { id } = validated(Id, c.req.param());
      const { place } = await readFields(c, z.object({ place: PublicationDestination }));
      await requestPublication(database, identity, id, place);
      return c.redirect(`/data/${id}`, 303);
    }),
  );

  app.get("/data/:id{[0-9]+}/:competition", async (c) => {
    c.header("cache-control", "private, no-cache");
    const { id, competition } = validated(OfCompetition, c.req.param());
    const { problem, target, user } = Choice.parse(c.req.query());
    const viewer = await viewerOf(c, services);
    const described = await competitionOf(viewer, id, competition);
    const tables = await readAnalysis(database, id, competition);
    const steps = user === undefined ? null : await readProgression(database, id, competition, user);
    if (user !== undefined && steps === null && typeof tables === "object") {
      throw new KernelBotError("not_found", `the data of ${competition} has no author ${quote(user)}`);
    }
    const known = typeof tables === "object" ? tables.contestants.find(({ userId }) => userId === user) : undefined;
    return c.html(
      await analysisPage({
        visit: visitOf(c, services, viewer),
        snapshot: { id, competition: described },
        tables,
        board: problem === undefined || target === undefined ? null : { problem, target },
        user: user === undefined || steps === null ? null : { id: user, name: known?.userName ?? user, steps },
      }),
    );
  });

  app.get("/data/:id{[0-9]+}/:competition/:table", async (c) => {
    const { id, competition, table } = validated(OfTable, c.req.param());
    const { format, user } = validated(TableQuery, c.req.query());
    await competitionOf(await viewerOf(c, services), id, competition);
    const rows = await rowsOf(id, competition, table, user);
    if (rows === null) throw new KernelBotError("not_found", `snapshot ${id} has no such table of ${competition}`);
    return c.body(format === "csv" ? csv(table, rows) : `${JSON.stringify({ rows })}\n`, 200, {
      "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/json",
      "content-disposition": `attachment; filename="${competition}-${table}.${format}"`,
      "cache-control": "private, no-cache",
    });
  });

  async function rowsOf(
    id: number,
    competition: string,
    table: z.infer<typeof OfTable>["table"],
    user: string | undefined,
  ): Promise<readonly object[] | null> {
    if (table === "progression") {
      if (user === undefined) throw new KernelBotError("unprocessable", "user: say whose progression");
      return readProgression(database, id, competition, user);
    }
    const tables = await readAnalysis(database, id, competition);
    return typeof tables === "object" ? tables[table] : null;
  }

  /**
   * Returns the description of a competition in a snapshot's manifest.
   * @throws KernelBotError `not_found` where the viewer may not see the snapshot, or it does not contain the
   * competition.
   */
  async function competitionOf(
    viewer: Viewer,
    id: number,
    competition: string,
  ): Promise<SnapshotManifest["competitions"][number]> {
    const { manifest } = await readSnapshot(database, viewer, id);
    const described = manifest?.competitions.find(({ name }) => name === competition);
    if (described !== undefined) return described;
    throw new KernelBotError("not_found", `snapshot ${id} has nothing of ${quote(competition)}`);
  }

  async function listPage(c: Context<HttpEnv>, viewer: Viewer, problem?: string): Promise<string> {
    const [snapshots, offered] = await Promise.all([
      listSnapshots(database, viewer),
      viewer !== undefined && hasRole(viewer, "organiser") ? offeredCompetitions(database, viewer) : null,
    ]);
    const shown = snapshots.slice(0, SHOWN).map(async (snapshot) => {
      const details = await readSnapshot(database, viewer, snapshot.id);
      return { ...snapshot, licences: licencesIn(details.manifest) };
    });
    return dataPage({
      visit: visitOf(c, services, viewer),
      snapshots: await Promise.all(shown),
      offered,
      mayTakeAll: viewer !== undefined && hasRole(viewer, "administrator"),
      problem,
    });
  }

  async function onePage(c: Context<HttpEnv>, viewer: Viewer, problem?: string): Promise<string> {
    const { id } = validated(Id, c.req.param());
    const snapshot = await readSnapshot(database, viewer, id);
    return snapshotPage({
      visit: visitOf(c, services, viewer),
      snapshot,
      card: await cardOf(viewer, snapshot),
      server: originOf(c, site),
      mayPublish: viewer !== undefined && hasRole(viewer, "administrator") && snapshot.state !== "failed",
      problem,
    });
  }

  /**
   * Returns the dataset card without its YAML header, which is for dataset hubs; null where the snapshot has no card or
   * its files are deleted.
   */
  async function cardOf(viewer: Viewer, { id, manifest }: SnapshotDetails): Promise<string | null> {
    if (manifest?.files.some(({ path }) => path === CARD) !== true) return null;
    const { path } = await snapshotFile(database, viewer, datasets, id, CARD);
    const text = await readFile(path, "utf8").catch(() => null);
    return text?.replace(/^---\n[^]*?\n---\n/, "") ?? null;
  }
}

const CARD = "README.md";
/** Snapshots shown on the page. */
const SHOWN = 50;
