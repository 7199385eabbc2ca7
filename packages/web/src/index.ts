export { accountPage, type AccountPage } from "./account.ts";
export { buildAssets, ENCODINGS, type Assets } from "./assets.ts";
export type { BoardFilter } from "./board/filter.ts";
export { boardPage, type BoardPage } from "./board/page.ts";
export { DRAWN } from "./board/progress.ts";
export { accountsPage } from "./admin/accounts.ts";
export { adminAccountPage } from "./admin/account.ts";
export { adminOverviewPage } from "./admin/overview.ts";
export { adminProblemsPage } from "./admin/problems.ts";
export { auditPage } from "./admin/audit.ts";
export { adminCompetitionsPage } from "./admin/competitions.ts";
export { competitionFormPage } from "./admin/competition.ts";
export {
  fieldMoment,
  fieldsOf,
  LIMIT_FIELDS,
  NEW_COMPETITION,
  type CompetitionFields,
} from "./admin/competition-fields.ts";
export { INVITE_STATES, invitesPage, stateOf } from "./admin/invites.ts";
export { comparePage } from "./compare.ts";
export { competitionPage } from "./competition.ts";
export { deviceConfirmPage, deviceDonePage, devicePage } from "./device.ts";
export { editorPage, type EditorFields, type EditorPage } from "./editor/page.ts";
export { errorPage, notFoundPage, refusalPage } from "./errors.ts";
export { homePage } from "./home.ts";
export { joinPage } from "./join.ts";
export type { SignedVisit, Viewer, Visit } from "./visit.ts";
export { personPage } from "./person.ts";
export { appealPage } from "./moderation/appeal.ts";
export { inspectionPage } from "./moderation/inspection.ts";
export { inQueue, moderationPage } from "./moderation/queue.ts";
export { popcornPage } from "./popcorn.ts";
export { queuePage } from "./queue.ts";
export { chooseScreenPage, screenPage } from "./screen.ts";
export { signInLinkPage, signInPage } from "./sign-in.ts";
export { sourcePage } from "./source.ts";
export { ownDecisionsPage } from "./own-decisions.ts";
export { teamsPage } from "./teams.ts";
export { NEW_WEBHOOK, webhookPage, webhooksPage } from "./webhooks.ts";
export { problemFilePage, type ProblemFilePage } from "./problem/file.ts";
export { problemsPage, type ProblemsPage } from "./problem/list.ts";
export { problemPage, type ProblemPage } from "./problem/page.ts";
export type { Other, SubmissionPage } from "./submission/data.ts";
export { submissionPage } from "./submission/page.ts";
export { submissionsPage } from "./submissions.ts";
export { entryPage, type EntryPage } from "./kernelbench/entry.ts";
export { CURVES, curveOf } from "./kernelbench/fast-curve.ts";
export { FIGURE_KINDS, ranked as rankedEntries, type Choice as FigureChoice } from "./kernelbench/choice.ts";
export { FILTER_OUTCOMES } from "./kernelbench/filter.ts";
export { matrixPage } from "./kernelbench/matrix.ts";
export { modelsPage } from "./kernelbench/models.ts";
export { suiteProblemPage } from "./kernelbench/problem.ts";
export { entrySubmitPage, type EntrySubmitPage } from "./kernelbench/submit.ts";
export { suitesPage } from "./kernelbench/suites.ts";
export { entryPath, updatesPath } from "./kernelbench/address.ts";
export { analysisPage } from "./data/analysis.ts";
export { dataPage, licencesIn, type DataPage } from "./data/list.ts";
export { analysisPath } from "./data/address.ts";
export { snapshotPage } from "./data/snapshot.ts";
