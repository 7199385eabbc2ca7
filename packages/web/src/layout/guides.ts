/**
 * Guide of each type of page, as a path below `/docs/`. The first pattern that matches the path of a page counts. Pages
 * of optional features name their guide themselves.
 */
export const GUIDES: readonly (readonly [page: RegExp, guide: string])[] = [
  [/^\/$/, "start/participant"],
  [/^\/(competitions|join)\//, "guides/run-a-competition"],
  [/^\/boards\//, "guides/read-a-board"],
  [/^\/problems\/[^/]+\/submit$/, "guides/submit-in-the-browser"],
  [/^\/problems(\/|$)/, "start/participant"],
  [/^\/compare\//, "explanation/comparisons#compare"],
  [/^\/submissions\/[^/]+$/, "guides/read-a-board#the-result-of-a-submission"],
  [/^\/submissions(\/|$)/, "guides/use-the-command-line"],
  [/^\/queue$/, "explanation/queue-fairness"],
  [/^\/status$/, "guides/monitor-a-server#for-participants"],
  [/^\/people\//, "explanation/visibility-and-trust#who-sees-what"],
  [/^\/kernelbench\/(submit|entries)/, "guides/enter-kernelbench"],
  [/^\/kernelbench\/suites/, "guides/make-a-kernelbench-suite"],
  [/^\/kernelbench(\/|$)/, "reference/kernelbench"],
  [/^\/data(\/|$)/, "guides/analyse-a-dataset"],
  [/^\/(sign-in|device)(\/|$)/, "guides/sign-in-and-tokens"],
  [/^\/account\/webhooks/, "guides/receive-webhooks"],
  [/^\/account\/decisions/, "guides/moderate-a-competition#appeals"],
  [/^\/(account|admin\/accounts\/[^/]+)\/erase$/, "guides/keep-and-erase-personal-data"],
  [/^\/account(\/|$)/, "guides/sign-in-and-tokens"],
  [/^\/moderation(\/|$)/, "guides/moderate-a-competition"],
  [/^\/admin\/competitions/, "guides/run-a-competition"],
  [/^\/admin\/problems/, "guides/write-a-problem"],
  [/^\/admin\/runners/, "guides/add-a-runner"],
  [/^\/admin\/launchers/, "guides/start-runners-on-demand"],
  [/^\/admin\/accounts/, "guides/set-up-sign-in"],
  [/^\/admin\/audit/, "explanation/visibility-and-trust#roles"],
  [/^\/admin$/, "guides/run-a-server"],
];

/** Returns the URL of the guide to a page; null for pages without one. @param path Path and query of the page. */
export function guideTo(path: string): string | null {
  const [page = ""] = path.split("?");
  const guide = GUIDES.find(([pattern]) => pattern.test(page))?.[1];
  return guide === undefined ? null : `/docs/${guide}`;
}
