/** An example of every page of the site: path, visitor and title. Used by screenshots and tests. */
import { PARTICIPANT, type OpenShowcase, type Visitor, type World } from "./open.ts";
import type { Showcase } from "./showcase.ts";

export interface PageExample {
  /** Name of the screenshot. */
  name: string;
  /** Route pattern of the app; null when no route matches. */
  route: string | null;
  path: (showcase: Showcase) => string;
  visitor: Visitor;
  /** Server; `full` by default. */
  world?: World;
  /** Text in the page's title. */
  title: string | RegExp;
  /** HTTP status; 200 by default. */
  status?: number;
  /** Additional viewport width, in pixels. */
  width?: number;
}

const SUBMISSION = "/submissions/:id{[0-9]+}";
const ENTRY = "/kernelbench/entries/:id{[0-9]+}";
const EDITOR = "/problems/:name/submit";

/** Returns the page of a submission. */
const submission = (
  name: string,
  which: keyof Showcase["submissions"],
  title: string | RegExp,
  visitor: Visitor = "participant",
): PageExample => ({
  name: `submission-${name}`,
  route: SUBMISSION,
  path: ({ submissions }) => `/submissions/${submissions[which]}`,
  visitor,
  title,
});

export const PAGES: readonly PageExample[] = [
  { name: "home", route: "/", path: () => "/", visitor: "stranger", title: "KernelBot" },
  { name: "home-signed-in", route: "/", path: () => "/", visitor: "participant", title: "KernelBot" },
  {
    name: "competition",
    route: "/competitions/:name",
    path: ({ competitions }) => `/competitions/${competitions.running}`,
    visitor: "participant",
    title: "Winter sprint",
  },
  {
    name: "competition-ended",
    route: "/competitions/:name",
    path: ({ competitions }) => `/competitions/${competitions.ended}`,
    visitor: "stranger",
    title: "Autumn open",
  },
  {
    name: "competition-closed",
    route: "/competitions/:name",
    path: ({ competitions }) => `/competitions/${competitions.closed}`,
    visitor: "organiser",
    title: "GPU programming laboratory",
  },
  {
    name: "competition-upcoming",
    route: "/competitions/:name",
    path: ({ competitions }) => `/competitions/${competitions.upcoming}`,
    visitor: "stranger",
    title: "Spring preview",
  },
  { name: "join", route: "/join/:code", path: () => `/join/${"0".repeat(32)}`, visitor: "newcomer", title: "Join" },
  {
    name: "board",
    route: "/boards/:board/:target",
    path: () => "/boards/matmul/H100",
    visitor: "participant",
    title: "matmul",
  },
  {
    name: "board-cpu",
    route: "/boards/:board/:target",
    path: () => "/boards/vectoradd/cpu",
    visitor: "stranger",
    title: "vectoradd",
  },
  {
    name: "board-empty",
    route: "/boards/:board/:target",
    path: () => "/boards/conv2d/B200",
    visitor: "administrator",
    title: "conv2d",
  },
  {
    name: "board-frozen",
    route: "/boards/:board/:target",
    path: () => "/boards/conv2d/cpu",
    visitor: "organiser",
    title: "conv2d",
  },
  {
    name: "problem-practice",
    route: "/problems/:name",
    path: () => "/problems/histogram",
    visitor: "stranger",
    title: "histogram",
  },
  submission("best", "best", "Passed", "stranger"),
  submission("queued", "queued", "Queued"),
  submission("running", "running", "Running", "moderator"),
  submission("wrong", "wrong", "Failed: wrong result"),
  submission("compile-error", "compileError", "Failed: compile error"),
  submission("crash", "crash", "Failed: crash"),
  submission("timeout", "timeout", "Failed: timeout"),
  submission("out-of-memory", "outOfMemory", "Failed: out of memory"),
  submission("broken", "broken", "Failed: rejected"),
  submission("infra-error", "infra", "Not judged"),
  submission("tested", "tested", "Passed"),
  submission("benchmarked", "benchmarked", "Passed"),
  submission("duel", "duel", "Passed"),
  submission("several-targets", "several", "Passed"),
  submission("profile", "profile", "Passed", "moderator"),
  submission("quarantined", "quarantined", "Quarantined", "moderator"),
  submission("rejected", "rejected", "Failed: rejected", "moderator"),
  submission("removed", "removed", /./, "moderator"),
  {
    name: "submissions",
    route: "/submissions",
    path: () => "/submissions",
    visitor: "participant",
    title: "Submissions",
  },
  {
    name: "submissions-chosen",
    route: "/submissions",
    path: () => "/submissions?verdict=failed",
    visitor: "participant",
    title: "Submissions",
  },
  {
    name: "submissions-none",
    route: "/submissions",
    path: () => "/submissions",
    visitor: "newcomer",
    title: "Submissions",
  },
  {
    name: "source",
    route: "/submissions/:id{[0-9]+}/source",
    path: ({ submissions }) => `/submissions/${submissions.best}/source`,
    visitor: "moderator",
    title: /./,
  },
  {
    name: "compare",
    route: "/compare/:a{[0-9]+}/:b{[0-9]+}",
    path: ({ submissions }) => `/compare/${submissions.best}/${submissions.second}`,
    visitor: "moderator",
    title: /./,
  },
  { name: "problems", route: "/problems", path: () => "/problems", visitor: "participant", title: "Problems" },
  {
    name: "problems-none",
    route: "/problems",
    path: () => "/problems?search=nothing+has+this",
    visitor: "stranger",
    title: "Problems",
  },
  {
    name: "problem",
    route: "/problems/:name",
    path: () => "/problems/matmul",
    visitor: "participant",
    title: "matmul",
  },
  {
    name: "problem-file",
    route: "/problems/:name/files/:file",
    path: () => "/problems/matmul/files/reference.py",
    visitor: "stranger",
    title: "reference.py",
  },
  {
    name: "editor",
    route: EDITOR,
    path: () => "/problems/vectoradd/submit?language=cpp",
    visitor: "participant",
    title: "Submit to vectoradd",
  },
  {
    name: "editor-again",
    route: EDITOR,
    path: ({ submissions }) => `/problems/vectoradd/submit?from=${submissions.wrong}`,
    visitor: "participant",
    title: "Submit to vectoradd",
  },
  {
    name: "editor-signed-out",
    route: EDITOR,
    path: () => "/problems/matmul/submit",
    visitor: "stranger",
    title: "Submit to matmul",
  },
  {
    name: "editor-newcomer",
    route: EDITOR,
    path: () => "/problems/matmul/submit",
    visitor: "newcomer",
    title: "Submit to matmul",
  },
  {
    name: "person",
    route: "/people/:id",
    path: ({ cast }) => `/people/${cast.by.get("Łukasz Świątek")?.account.id}`,
    visitor: "stranger",
    title: "Łukasz Świątek",
  },
  {
    name: "person-own",
    route: "/people/:id",
    path: ({ cast }) => `/people/${cast.by.get(PARTICIPANT)?.account.id}`,
    visitor: "participant",
    title: PARTICIPANT,
  },
  {
    name: "person-empty",
    route: "/people/:id",
    path: ({ cast }) => `/people/${cast.newcomer.account.id}`,
    visitor: "newcomer",
    title: "Zoë de Vries",
  },
  {
    name: "person-banned",
    route: "/people/:id",
    path: ({ cast }) => `/people/${cast.by.get("speedrunner")?.account.id}`,
    visitor: "stranger",
    title: "speedrunner",
  },
  { name: "queue", route: "/queue", path: () => "/queue", visitor: "stranger", title: "Runners and queue" },
  {
    name: "queue-administrator",
    route: "/queue",
    path: () => "/queue",
    visitor: "administrator",
    title: "Runners and queue",
  },
  { name: "live-choose", route: "/live", path: () => "/live", visitor: "participant", title: "Live screen" },
  {
    name: "live",
    route: "/live",
    path: () => "/live?board=matmul/H100&board=vectoradd/cpu&board=vectoradd/H100",
    visitor: "stranger",
    title: "Live",
  },
  {
    name: "live-competition",
    route: "/live",
    path: ({ competitions }) => `/live?competition=${competitions.running}`,
    visitor: "stranger",
    title: "Winter sprint",
    width: 1920,
  },
  { name: "sign-in", route: "/sign-in", path: () => "/sign-in", visitor: "stranger", title: "Sign in" },
  {
    name: "sign-in-link",
    route: "/sign-in/link",
    path: ({ link }) => `/sign-in/link?token=${link}`,
    visitor: "stranger",
    title: /./,
  },
  { name: "account", route: "/account", path: () => "/account", visitor: "participant", title: /./ },
  { name: "account-newcomer", route: "/account", path: () => "/account", visitor: "newcomer", title: /./ },
  { name: "device", route: "/device", path: () => "/device", visitor: "participant", title: /./ },
  {
    name: "link-popcorn",
    route: "/link-popcorn",
    path: () => "/link-popcorn?code=1",
    visitor: "participant",
    title: /./,
  },
  { name: "moderation", route: "/moderation", path: () => "/moderation", visitor: "moderator", title: "Moderation" },
  {
    name: "moderation-run",
    route: "/moderation/runs/:id{[0-9]+}",
    path: ({ runs }) => `/moderation/runs/${runs.quarantined}`,
    visitor: "moderator",
    title: /./,
  },
  { name: "home-empty", route: "/", path: () => "/", visitor: "stranger", world: "empty", title: "KernelBot" },
  { name: "error", route: "/", path: () => "/", visitor: "stranger", world: "broken", title: /./, status: 500 },
  {
    name: "teams",
    route: "/competitions/:name/teams",
    path: ({ competitions }) => `/competitions/${competitions.running}/teams`,
    visitor: "participant",
    title: "Teams of",
  },
  {
    name: "teams-newcomer",
    route: "/competitions/:name/teams",
    path: ({ competitions }) => `/competitions/${competitions.running}/teams`,
    visitor: "newcomer",
    title: "Teams of",
  },
  {
    name: "webhooks",
    route: "/account/webhooks",
    path: () => "/account/webhooks",
    visitor: "participant",
    title: "Webhooks",
  },
  {
    name: "webhook",
    route: "/account/webhooks/:id{[0-9]+}",
    path: ({ webhook }) => `/account/webhooks/${webhook}`,
    visitor: "participant",
    title: "Webhook",
  },
  {
    name: "decisions",
    route: "/account/decisions",
    path: () => "/account/decisions",
    visitor: "participant",
    title: "Decisions about you",
  },
  {
    name: "moderation-appeal",
    route: "/moderation/decisions/:id{[0-9]+}",
    path: ({ appeal }) => `/moderation/decisions/${appeal}`,
    visitor: "moderator",
    title: /^Submission \d+ removed/,
  },
  { name: "admin", route: "/admin", path: () => "/admin", visitor: "administrator", title: "Administration" },
  {
    name: "admin-competitions",
    route: "/admin/competitions",
    path: () => "/admin/competitions",
    visitor: "organiser",
    title: "Competitions",
  },
  {
    name: "admin-competition-new",
    route: "/admin/competitions/new",
    path: () => "/admin/competitions/new",
    visitor: "organiser",
    title: "New competition",
  },
  {
    name: "admin-competition",
    route: "/admin/competitions/:name",
    path: ({ competitions }) => `/admin/competitions/${competitions.closed}`,
    visitor: "organiser",
    title: "GPU programming laboratory",
  },
  {
    name: "admin-invites",
    route: "/admin/competitions/:name/invites",
    path: ({ competitions }) => `/admin/competitions/${competitions.closed}/invites`,
    visitor: "organiser",
    title: "Invite codes",
  },
  {
    name: "admin-problems",
    route: "/admin/problems",
    path: () => "/admin/problems",
    visitor: "administrator",
    title: "Problems",
  },
  {
    name: "admin-runners",
    route: "/admin/runners",
    path: () => "/admin/runners",
    visitor: "administrator",
    title: "Runners",
  },
  {
    name: "admin-runner",
    route: "/admin/runners/:id{[0-9]+}",
    path: ({ runner }) => `/admin/runners/${runner}`,
    visitor: "administrator",
    title: "h100-b",
  },
  {
    name: "admin-accounts",
    route: "/admin/accounts",
    path: () => "/admin/accounts",
    visitor: "administrator",
    title: "Accounts",
  },
  {
    name: "admin-account",
    route: "/admin/accounts/:id",
    path: ({ cast }) => `/admin/accounts/${cast.by.get("n00b")?.account.id}`,
    visitor: "administrator",
    title: "n00b",
  },
  {
    name: "admin-launchers",
    route: "/admin/launchers",
    path: () => "/admin/launchers",
    visitor: "administrator",
    title: "Launchers",
  },
  {
    name: "admin-audit",
    route: "/admin/audit",
    path: () => "/admin/audit",
    visitor: "administrator",
    title: "Audit log",
  },
  {
    name: "kernelbench",
    route: "/kernelbench",
    path: () => "/kernelbench",
    visitor: "stranger",
    title: "kernelbench on H100",
  },
  {
    name: "kernelbench-robust",
    route: "/kernelbench",
    path: () => "/kernelbench?target=MI300&figures=robust&baseline=compiled",
    visitor: "participant",
    title: "kernelbench on MI300",
  },
  {
    name: "kernelbench-none",
    route: "/kernelbench",
    path: () => "/kernelbench",
    visitor: "stranger",
    world: "empty",
    title: "KernelBench",
  },
  {
    name: "kernelbench-entry",
    route: ENTRY,
    path: ({ kernelbench }) => `/kernelbench/entries/${kernelbench.published}`,
    visitor: "stranger",
    title: "Tessera 2",
  },
  {
    name: "kernelbench-entry-failed",
    route: ENTRY,
    path: ({ kernelbench }) => `/kernelbench/entries/${kernelbench.published}?outcome=failed`,
    visitor: "moderator",
    title: "Tessera 2",
  },
  {
    name: "kernelbench-draft",
    route: ENTRY,
    path: ({ kernelbench }) => `/kernelbench/entries/${kernelbench.draft}`,
    visitor: "participant",
    title: "Kestrel Coder 32B",
  },
  {
    name: "kernelbench-problem",
    route: "/kernelbench/problems/:suite/:level/:problem",
    path: ({ kernelbench }) => `/kernelbench/problems/${kernelbench.suite}/1/1`,
    visitor: "stranger",
    title: "L1-1",
  },
  {
    name: "kernelbench-problem-degenerate",
    route: "/kernelbench/problems/:suite/:level/:problem",
    path: ({ kernelbench }) => `/kernelbench/problems/${kernelbench.suite}/2/3?target=MI300`,
    visitor: "participant",
    title: "L2-3",
  },
  {
    name: "kernelbench-matrix",
    route: "/kernelbench/matrix",
    path: () => "/kernelbench/matrix?baseline=compiled",
    visitor: "stranger",
    title: "results by problem",
  },
  {
    name: "kernelbench-submit",
    route: "/kernelbench/submit",
    path: () => "/kernelbench/submit",
    visitor: "participant",
    title: "Submit",
  },
  {
    name: "kernelbench-submit-signed-out",
    route: "/kernelbench/submit",
    path: () => "/kernelbench/submit",
    visitor: "stranger",
    title: "Submit",
  },
  {
    name: "kernelbench-suites",
    route: "/kernelbench/suites",
    path: () => "/kernelbench/suites",
    visitor: "stranger",
    title: "Suites",
  },
  { name: "data", route: "/data", path: () => "/data", visitor: "stranger", title: "Data" },
  { name: "data-organiser", route: "/data", path: () => "/data", visitor: "organiser", title: "Data" },
  { name: "data-none", route: "/data", path: () => "/data", visitor: "stranger", title: "Data", world: "empty" },
  {
    name: "data-snapshot",
    route: "/data/:id{[0-9]+}",
    path: ({ data }) => `/data/${data.snapshot}`,
    visitor: "administrator",
    title: "Snapshot",
  },
  {
    name: "data-analysis",
    route: "/data/:id{[0-9]+}/:competition",
    path: ({ data, competitions }) => `/data/${data.snapshot}/${competitions.ended}?problem=vectorsum&target=H100`,
    visitor: "stranger",
    title: "Autumn open",
  },
  {
    name: "data-author",
    route: "/data/:id{[0-9]+}/:competition",
    path: ({ data, competitions }) =>
      `/data/${data.snapshot}/${competitions.ended}?user=${encodeURIComponent(data.author)}`,
    visitor: "stranger",
    title: "Autumn open",
  },
  { name: "not-found", route: null, path: () => "/nowhere", visitor: "stranger", title: /./, status: 404 },
  {
    name: "forbidden",
    route: "/moderation",
    path: () => "/moderation",
    visitor: "participant",
    title: /./,
    status: 403,
  },
];

export function addressOf({ world = "full", path }: PageExample, { urls, showcase }: OpenShowcase): string {
  return urls[world] + path(showcase);
}

/** Returns the cookies of a visitor. */
export function cookiesOf(visitor: Visitor, { urls, sessions }: OpenShowcase) {
  if (visitor === "stranger") return [];
  return [{ name: "kernelbot_session", value: sessions[visitor], url: urls.full, httpOnly: true }];
}
