/** The HTTP application: every route as one function from request to response. `listen.ts` binds it to a socket. */
import { openApiDocument } from "@kernelbot/api/openapi";
import { loadAssets } from "@kernelbot/web";
import { Hono } from "hono";
import { accountPages } from "./people/routes/account-pages.ts";
import { accountEndpoints } from "./people/routes/accounts.ts";
import { adminPages } from "./operations/routes/admin-pages.ts";
import { artifactEndpoints } from "./artifacts/routes/artifacts.ts";
import { assetRoutes } from "./http/assets.ts";
import { pictureRoutes } from "./http/picture-routes.ts";
import { openPictures } from "./http/pictures.ts";
import { boardPages } from "./boards/routes/board-pages.ts";
import { boardFeeds } from "./boards/routes/feed.ts";
import { boardEndpoints } from "./boards/routes/boards.ts";
import { limitBody } from "./http/body-limit.ts";
import { compareEndpoints } from "./submissions/routes/compare.ts";
import { competitionEndpoints } from "./competitions/routes/competitions.ts";
import { coursePages } from "./courses/routes/course-pages.ts";
import { courseEndpoints } from "./courses/routes/courses.ts";
import { compressPages } from "./http/compress.ts";
import { competitionAdminPages } from "./competitions/routes/competition-admin-pages.ts";
import { importEndpoints } from "./dataset/routes/import.ts";
import { dataPages } from "./dataset/routes/pages.ts";
import { publicationEndpoints } from "./dataset/routes/publications.ts";
import { snapshotEndpoints } from "./dataset/routes/snapshots.ts";
import { auditExportEndpoint, auditExportPage } from "./auth/routes/audit-export.ts";
import { deviceEndpoints } from "./auth/routes/device.ts";
import { emailPages } from "./auth/routes/email-pages.ts";
import { devicePages } from "./auth/routes/device-pages.ts";
import { downloadRoutes } from "./downloads/routes/downloads.ts";
import { documentationPages } from "./docs/routes/documentation-pages.ts";
import { discordEndpoints } from "./integrations/discord/routes.ts";
import { editorPages } from "./submissions/routes/editor-pages.ts";
import { handleErrors } from "./http/errors.ts";
import type { Services, HttpEnv, AppResources } from "./services.ts";
import { secureHeaders } from "./http/headers.ts";
import { mountHealth } from "./operations/routes/health.ts";
import { acrossEndpoints } from "./kernelbench/routes/across.ts";
import { baselineEndpoints } from "./kernelbench/routes/baselines.ts";
import { documentEndpoints } from "./kernelbench/routes/documents.ts";
import { entryEndpoints } from "./kernelbench/routes/entries.ts";
import { suiteEndpoints } from "./kernelbench/routes/suites.ts";
import { kernelbenchPages } from "./kernelbench/routes/pages.ts";
import { evaluationEndpoints } from "./evaluations/routes/evaluations.ts";
import { sessionEndpoints } from "./evaluations/routes/sessions.ts";
import { gitHubEndpoints } from "./integrations/github/routes.ts";
import { launcherEndpoints, launcherPages } from "./integrations/launchers/routes.ts";
import { findLaunchable } from "./integrations/launchers/status.ts";
import { liveScreenPages } from "./live/routes/live-screen.ts";
import { courseLtiPages } from "./lti/routes/course-lti-pages.ts";
import { deepLinkPages } from "./lti/routes/deep-link-pages.ts";
import { launchPages } from "./lti/routes/launch-pages.ts";
import { platformPages } from "./lti/routes/platform-pages.ts";
import { ltiEndpoints } from "./lti/routes/lti.ts";
import { licenceEndpoints } from "./submissions/routes/licences.ts";
import { limitClients } from "./http/limit-clients.ts";
import { limitEndpoints } from "./submissions/routes/limits.ts";
import { measureRequests } from "./http/measure.ts";
import { moderationEndpoints } from "./moderation/routes/moderation.ts";
import { moderationPages } from "./moderation/routes/moderation-pages.ts";
import { competitionFeeds } from "./competitions/routes/feeds.ts";
import { competitionPages } from "./competitions/routes/pages.ts";
import { inviteAdminPages } from "./competitions/routes/invite-admin-pages.ts";
import { joinPages } from "./competitions/routes/join-pages.ts";
import { personalDataPages } from "./personal-data/routes/personal-data-pages.ts";
import { personalDataEndpoints } from "./personal-data/routes/personal-data.ts";
import { personPages, personEndpoints } from "./people/routes/people.ts";
import { problemPages } from "./problems/routes/problem-pages.ts";
import { POPCORN_ROUTES } from "./integrations/popcorn/routes.ts";
import { KERNELGYM_ROUTES } from "./integrations/kernelgym/routes.ts";
import { OPENENV_ROUTES } from "./integrations/openenv/routes.ts";
import { popcornLinkPages } from "./integrations/popcorn/link.ts";
import { problemAdminPages } from "./problems/routes/problem-admin-pages.ts";
import { problemEndpoints } from "./problems/routes/problems.ts";
import { setLaunchable } from "./queue/availability.ts";
import { queuePages, queueEndpoints } from "./queue/routes/queue.ts";
import { receiptEndpoints } from "./runs/routes/receipts.ts";
import { statusEndpoints, statusPages } from "./operations/routes/status.ts";
import { runnerEndpoints } from "./runners/routes/runner.ts";
import { runnerPages } from "./runners/routes/runner-pages.ts";
import { runnersEndpoints } from "./runners/routes/runners.ts";
import { runEndpoints } from "./runs/routes/runs.ts";
import { sharedReads } from "./live/routes/shared-reads.ts";
import { signInPages } from "./auth/routes/sign-in-pages.ts";
import { submissionPages } from "./submissions/routes/submission-pages.ts";
import { submissionEndpoints } from "./submissions/routes/submissions.ts";
import { teamPages } from "./competitions/routes/team-pages.ts";
import { webhookPages } from "./webhooks/routes/webhook-pages.ts";
import { ownDecisionPages } from "./moderation/routes/own-decision-pages.ts";
import { teamEndpoints } from "./competitions/routes/teams.ts";
import { themeRoutes } from "./http/theme.ts";
import { updateRoutes } from "./live/routes/page-updates.ts";
import { webhookEndpoints } from "./webhooks/routes/webhooks.ts";

const ENDPOINTS = [
  ...problemEndpoints,
  ...boardEndpoints,
  ...competitionEndpoints,
  ...courseEndpoints,
  ...ltiEndpoints,
  ...teamEndpoints,
  ...submissionEndpoints,
  ...evaluationEndpoints,
  ...sessionEndpoints,
  ...limitEndpoints,
  ...licenceEndpoints,
  ...runEndpoints,
  ...compareEndpoints,
  ...receiptEndpoints,
  ...artifactEndpoints,
  ...moderationEndpoints,
  ...queueEndpoints,
  ...statusEndpoints,
  ...webhookEndpoints,
  ...runnersEndpoints,
  ...runnerEndpoints,
  ...launcherEndpoints,
  ...accountEndpoints,
  auditExportEndpoint,
  ...personEndpoints,
  ...personalDataEndpoints,
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

/** The routes outside /api/v1, except for health, which answers before them. */
export const PAGES = [
  ...assetRoutes,
  ...pictureRoutes,
  ...themeRoutes,
  ...competitionPages,
  ...competitionFeeds,
  ...joinPages,
  ...updateRoutes,
  ...personPages,
  ...queuePages,
  ...statusPages,
  ...kernelbenchPages,
  ...dataPages,
  ...documentationPages,
  ...downloadRoutes,
  ...liveScreenPages,
  ...problemPages,
  ...submissionPages,
  ...boardPages,
  ...boardFeeds,
  ...editorPages,
  ...signInPages,
  ...emailPages,
  ...accountPages,
  ...personalDataPages,
  ...moderationPages,
  ...teamPages,
  ...webhookPages,
  ...ownDecisionPages,
  ...adminPages,
  auditExportPage,
  ...launcherPages,
  ...runnerPages,
  ...competitionAdminPages,
  ...coursePages,
  ...courseLtiPages,
  ...platformPages,
  ...deepLinkPages,
  ...launchPages,
  ...inviteAdminPages,
  ...problemAdminPages,
  ...devicePages,
  ...popcornLinkPages,
  ...OPENENV_ROUTES,
  ...KERNELGYM_ROUTES,
  // Last: its three-segment path would also match some of the others.
  ...POPCORN_ROUTES,
];

/**
 * Creates the app from its open dependencies (database, stores, keys, limits).
 * @throws when the site's client script does not compile.
 */
export async function createApp(resources: AppResources): Promise<Hono<HttpEnv>> {
  setLaunchable(resources.database, () => findLaunchable(resources.database, resources.launchers));
  const assets = await loadAssets();
  const pictures = openPictures(assets);
  const services: Services = { ...resources, assets, pictures, reads: sharedReads(resources.database) };
  const app = new Hono<HttpEnv>();
  app.use(secureHeaders(resources.site), measureRequests(resources.log), limitClients(services), limitBody);
  for (const endpoint of ENDPOINTS) endpoint.mount(app, services);
  app.get("/api/v1/openapi.json", (c) => c.body(apiDocument(), 200, { "content-type": "application/json" }));
  mountHealth(app, services.health);
  app.use(compressPages);
  for (const route of PAGES) route.mount(app, services);
  handleErrors(app, services);
  return app;
}

let builtDocument: string | undefined;

/** Returns the OpenAPI document, built on first use: it takes 50 ms, and few servers are asked for it. */
function apiDocument(): string {
  return (builtDocument ??= JSON.stringify(openApiDocument()));
}
