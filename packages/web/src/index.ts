export { adminErasurePage, erasurePage } from "./account/erasure.ts";
export { accountPage, type AccountPage } from "./account/page.ts";
export { ENCODINGS, loadAssets, type Assets } from "./assets/assets.ts";
export { needsAllRows, type BoardFilter } from "./board/filter.ts";
export { boardPage } from "./board/page.ts";
export type { BoardPage } from "./board/page-data.ts";
export { pageWith, ROWS_PER_PAGE, type Span } from "./layout/pagination.ts";
export { CHARTED_ENTRANTS } from "./board/history.ts";
export { accountsPage } from "./admin/accounts.ts";
export { adminAccountPage } from "./admin/account.ts";
export { adminOverviewPage } from "./admin/overview.ts";
export { adminRunnerPage } from "./admin/runner.ts";
export { adminRunnersPage } from "./admin/runners.ts";
export { adminProblemsPage } from "./admin/problems.ts";
export { learningPlatformsPage, type PlatformFields } from "./admin/learning-platforms.ts";
export { launchersPage } from "./admin/launchers.ts";
export { auditPage } from "./admin/audit.ts";
export { adminCompetitionsPage } from "./admin/competitions.ts";
export { adminCoursePage } from "./admin/course.ts";
export { adminCourseLtiPage, type NewCourseLink } from "./admin/course-lti.ts";
export { competitionFormPage } from "./admin/competition-form.ts";
export { fieldMoment, fieldsOf, NEW_COMPETITION, type CompetitionFields } from "./admin/competition-fields.ts";
export { similarPairsPage } from "./admin/similar-pairs.ts";
export { INVITE_STATES, invitesPage, inviteState } from "./admin/invites.ts";
export { comparePage, type ComparePage } from "./comparison/page.ts";
export { competitionPage } from "./competition/page.ts";
export { deviceConfirmPage, deviceDonePage, devicePage } from "./sign-in/device.ts";
export { editorPage } from "./editor/page.ts";
export type { EditorFields, EditorPage } from "./editor/page-data.ts";
export { errorPage } from "./layout/errors.ts";
export { boardFeed, competitionFeed, newsFeed, type CompetitionNews } from "./feed/feeds.ts";
export { homePage } from "./competition/home.ts";
export { joinByLinkPage, joinPage } from "./competition/join.ts";
export { drawPicture, type Picture } from "./preview/picture.ts";
export { readGlyphs, type Glyphs } from "./preview/glyphs.ts";
export type { SignedVisit, Viewer, Visit } from "./layout/page-context.ts";
export { personPage } from "./profile/page.ts";
export { appealPage } from "./moderation/appeal.ts";
export { inspectionPage } from "./moderation/inspection.ts";
export { inQueue, moderationPage } from "./moderation/queue.ts";
export {
  deepLinkChosenPage,
  deepLinkPage,
  deepLinkResponsePage,
  deepLinkWaitingPage,
  type DeepLinkPage,
} from "./sign-in/deep-link.ts";
export { launchFramePage, launchPage, registeredPage, type LaunchPage } from "./sign-in/lti.ts";
export { popcornPage } from "./sign-in/popcorn.ts";
export { queuePage } from "./queue/page.ts";
export { statusPage } from "./status/page.ts";
export { chooseScreenPage, screenPage } from "./screen/page.ts";
export { emailLinkPage, emailSentPage } from "./sign-in/email.ts";
export { continuePage, signInLinkPage, signInPage } from "./sign-in/page.ts";
export { sourcePage } from "./submission/source-page.ts";
export { ownDecisionsPage } from "./account/decisions.ts";
export { coursePage } from "./competition/course.ts";
export { teamsPage } from "./competition/teams.ts";
export { NEW_WEBHOOK, webhookPage, webhooksPage } from "./account/webhooks.ts";
export { problemFilePage, type ProblemFilePage } from "./problem/file.ts";
export { problemsPage, type ProblemsPage } from "./problem/list.ts";
export { problemPage, type ProblemPage } from "./problem/page.ts";
export type { ComparableSubmission, SubmissionPage } from "./submission/page-data.ts";
export { submissionPage } from "./submission/page.ts";
export { submissionsPage } from "./submission/list.ts";
export { entryPage } from "./kernelbench/entry.ts";
export type { EntryPage } from "./kernelbench/entry-page-data.ts";
export { MAX_CURVES, curveOf } from "./kernelbench/fast-curve.ts";
export { FIGURE_KINDS, ranked as rankedEntries, type Choice as FigureChoice } from "./kernelbench/figure-choice.ts";
export { FILTER_OUTCOMES } from "./kernelbench/filter.ts";
export { matrixPage } from "./kernelbench/matrix.ts";
export { modelsPage } from "./kernelbench/models.ts";
export { suiteProblemPage } from "./kernelbench/problem.ts";
export { entrySubmitPage, type EntrySubmitPage } from "./kernelbench/submit.ts";
export { suitesPage } from "./kernelbench/suites.ts";
export { entryPath, updatesPath } from "./kernelbench/paths.ts";
export { analysisPage } from "./data/analysis.ts";
export { dataPage, licencesIn, type DataPage } from "./data/list.ts";
export { analysisPath } from "./data/paths.ts";
export { snapshotPage } from "./data/snapshot.ts";
export { renderDocument, type DocumentationPage, type DocumentSection } from "./docs/document.ts";
export {
  documentationIndexPage,
  documentationPage,
  documentationSearchPage,
  type DocumentationHit,
} from "./docs/page.ts";
