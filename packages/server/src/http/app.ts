/** The HTTP application: every route as one function from request to response. `listen.ts` binds it to a socket. */
import { buildAssets } from "@kernelbot/web";
import { Hono } from "hono";
import { mountAccountPages } from "./account-pages.ts";
import { accountEndpoints } from "./accounts.ts";
import { mountAdminPages } from "./admin-pages.ts";
import { artifactEndpoints } from "./artifacts.ts";
import { mountAssets } from "./assets.ts";
import { mountBoardPages } from "./board-pages.ts";
import { boardEndpoints } from "./boards.ts";
import { limitBody } from "./body-limit.ts";
import { compareEndpoints } from "./compare.ts";
import { competitionEndpoints } from "./competitions.ts";
import { compressPages } from "./compress.ts";
import { mountCompetitionAdminPages } from "./competition-admin-pages.ts";
import { importEndpoints } from "./dataset-import.ts";
import { mountDataPages } from "./data-pages.ts";
import { publicationEndpoints } from "./dataset/publications.ts";
import { snapshotEndpoints } from "./dataset/snapshots.ts";
import { deviceEndpoints } from "./device.ts";
import { mountDevicePages } from "./device-pages.ts";
import { discordEndpoints } from "./discord.ts";
import { mountEditorPages } from "./editor-pages.ts";
import { answerErrors } from "./errors.ts";
import type { Faces, HttpEnv, Rooms } from "./faces.ts";
import { secureHeaders } from "./headers.ts";
import { mountHealth } from "./health.ts";
import { acrossEndpoints } from "./kernelbench/across.ts";
import { baselineEndpoints } from "./kernelbench/baselines.ts";
import { documentEndpoints } from "./kernelbench/documents.ts";
import { entryEndpoints } from "./kernelbench/entries.ts";
import { suiteEndpoints } from "./kernelbench/suites.ts";
import { mountKernelbenchPages } from "./kernelbench-pages.ts";
import { gitHubEndpoints } from "./kernelbench-github.ts";
import { launcherEndpoints, mountLauncherPages } from "./launchers.ts";
import { mountLiveScreen } from "./live-screen.ts";
import { licenceEndpoints } from "./licences.ts";
import { limitClients } from "./limit-clients.ts";
import { limitEndpoints } from "./limits.ts";
import { measureRequests } from "./measure.ts";
import { moderationEndpoints } from "./moderation.ts";
import { openApiDocument } from "./openapi.ts";
import { mountModerationPages } from "./moderation-pages.ts";
import { mountPages } from "./pages.ts";
import { mountPersonPage, personEndpoints } from "./people.ts";
import { mountProblemPages } from "./problem-pages.ts";
import { mountPopcorn } from "./popcorn/face.ts";
import { mountPopcornLink } from "./popcorn/link.ts";
import { mountProblemAdminPages } from "./problem-admin-pages.ts";
import { problemEndpoints } from "./problems.ts";
import { mountQueuePage, queueEndpoints } from "./queue.ts";
import { receiptEndpoints } from "./receipts.ts";
import { runnerEndpoints } from "./runner.ts";
import { mountRunnerPages } from "./runner-pages.ts";
import { runnersEndpoints } from "./runners.ts";
import { runEndpoints } from "./runs.ts";
import { sharedReads } from "./shared-reads.ts";
import { mountSignIn } from "./sign-in.ts";
import { mountSubmissionPages } from "./submission-pages.ts";
import { submissionEndpoints } from "./submissions.ts";
import { mountTeamPages } from "./team-pages.ts";
import { mountWebhookPages } from "./webhook-pages.ts";
import { mountOwnDecisionPages } from "./own-decision-pages.ts";
import { teamEndpoints } from "./teams.ts";
import { mountThemes } from "./visit.ts";
import { mountUpdates } from "./updates.ts";
import { webhookEndpoints } from "./webhooks.ts";

export const ENDPOINTS = [
  ...problemEndpoints,
  ...boardEndpoints,
  ...competitionEndpoints,
  ...teamEndpoints,
  ...submissionEndpoints,
  ...limitEndpoints,
  ...licenceEndpoints,
  ...runEndpoints,
  ...compareEndpoints,
  ...receiptEndpoints,
  ...artifactEndpoints,
  ...moderationEndpoints,
  ...queueEndpoints,
  ...webhookEndpoints,
  ...runnersEndpoints,
  ...runnerEndpoints,
  ...launcherEndpoints,
  ...accountEndpoints,
  ...personEndpoints,
  ...deviceEndpoints,
  ...suiteEndpoints,
  ...entryEndpoints,
  ...baselineEndpoints,
  ...acrossEndpoints,
  ...documentEndpoints,
  ...gitHubEndpoints,
  ...discordEndpoints,
  ...importEndpoints,
  ...snapshotEndpoints,
  ...publicationEndpoints,
];

/**
 * Creates the app from its open dependencies (database, stores, keys, limits).
 * @throws when the site's client script does not compile.
 */
export async function createApp(rooms: Rooms): Promise<Hono<HttpEnv>> {
  const faces: Faces = { ...rooms, assets: await buildAssets(), reads: sharedReads(rooms.database) };
  const app = new Hono<HttpEnv>();
  app.use(secureHeaders(rooms.site), measureRequests(rooms.log), limitClients(faces), limitBody);
  for (const endpoint of ENDPOINTS) endpoint.mount(app, faces);
  const document = JSON.stringify(openApiDocument(ENDPOINTS));
  app.get("/api/v1/openapi.json", (c) => c.body(document, 200, { "content-type": "application/json" }));
  mountHealth(app, faces.health);
  app.use(compressPages);
  mountAssets(app, faces);
  mountThemes(app, faces);
  mountPages(app, faces);
  mountUpdates(app, faces);
  mountPersonPage(app, faces);
  mountQueuePage(app, faces);
  mountKernelbenchPages(app, faces);
  mountDataPages(app, faces);
  mountLiveScreen(app, faces);
  mountProblemPages(app, faces);
  mountSubmissionPages(app, faces);
  mountBoardPages(app, faces);
  mountEditorPages(app, faces);
  mountSignIn(app, faces);
  mountAccountPages(app, faces);
  mountModerationPages(app, faces);
  mountTeamPages(app, faces);
  mountWebhookPages(app, faces);
  mountOwnDecisionPages(app, faces);
  mountAdminPages(app, faces);
  mountLauncherPages(app, faces);
  mountRunnerPages(app, faces);
  mountCompetitionAdminPages(app, faces);
  mountProblemAdminPages(app, faces);
  mountDevicePages(app, faces);
  mountPopcornLink(app, faces);
  // Mounted last: its three-segment route pattern would also match some page routes.
  mountPopcorn(app, faces);
  answerErrors(app, faces);
  return app;
}
