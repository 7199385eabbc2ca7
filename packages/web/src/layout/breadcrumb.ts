/** Breadcrumb above the title of a page: the pages above it, from the site's section downwards. */
import { html, type Html } from "../html.ts";

/** A page above, and its path. */
export type Crumb = readonly [name: Html | string, path: string];

/** Renders the pages above a page. `after` is a remark behind them. */
export function breadcrumb(crumbs: readonly Crumb[], after: Html | null = null): Html {
  return html`<nav class="path" aria-label="Breadcrumb">
    <ol>
      ${crumbs.map(([name, path]) => html`<li><a href="${path}">${name}</a></li>`)}
    </ol>
    ${after}
  </nav>`;
}

/** Pages above those of a problem: its competition or, for practice, the list of problems; then the problem. */
export function problemCrumbs(problem: string, competition: { name: string; title: string } | null): Crumb[] {
  return [...setCrumbs(competition), [problem, `/problems/${problem}`]];
}

/** Pages above a problem. */
export function setCrumbs(competition: { name: string; title: string } | null): Crumb[] {
  return competition === null
    ? [["Problems", "/problems"]]
    : [
        ["Competitions", "/"],
        [competition.title, `/competitions/${competition.name}`],
      ];
}
