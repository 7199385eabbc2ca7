/** Frame shared by the admin pages: tabs, breadcrumb, title and notices. */
import type { Role } from "@kernelbot/core";
import { breadcrumb, type Crumb } from "../layout/breadcrumb.ts";
import type { Island } from "../assets/asset-files.ts";
import { doneNotice, problemNotice } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import { current, page } from "../layout/layout.ts";
import type { SignedVisit } from "../layout/page-context.ts";

/** Result of an admin form, shown as a notice above the page. */
export interface Outcome {
  /** Success message. */
  done?: string | null | undefined;
  /** Error message. */
  problem?: string | undefined;
}

/** Admin pages in tab order, each with the role that sees it. Administrators see all of them. */
const PAGES: readonly { path: string; name: string; role: Role }[] = [
  { path: "/admin/competitions", name: "Competitions", role: "organiser" },
  { path: "/admin/problems", name: "Problems", role: "organiser" },
  { path: "/admin/runners", name: "Runners", role: "administrator" },
  { path: "/admin/accounts", name: "Accounts", role: "administrator" },
  { path: "/admin/launchers", name: "Launchers", role: "administrator" },
  { path: "/admin/learning-platforms", name: "Learning platforms", role: "administrator" },
  { path: "/admin/audit", name: "Audit log", role: "administrator" },
];

export function adminPage({
  visit,
  title,
  above,
  body,
  outcome = {},
  islands = [],
}: {
  visit: SignedVisit;
  title: string;
  /** Breadcrumb of a page below one of the tabs. */
  above?: readonly Crumb[];
  body: Html;
  outcome?: Outcome;
  islands?: readonly Island[];
}): Promise<string> {
  const { roles } = visit.viewer;
  const isAdministrator = roles.includes("administrator");
  const [here = ""] = visit.path.split("?");
  return page({
    visit,
    title,
    islands,
    body: html`
      <nav aria-label="Administration">
        <ul class="tabs">
          <li><a href="/admin" ${here === "/admin" ? current("/admin", here) : null}>Overview</a></li>
          ${PAGES.filter(({ role }) => isAdministrator || roles.includes(role)).map(
            ({ path, name }) => html`<li><a href="${path}" ${current(path, here)}>${name}</a></li>`,
          )}
        </ul>
      </nav>
      ${above === undefined ? null : breadcrumb(above)}
      <h1>${title}</h1>
      ${doneNotice(outcome.done ?? null)} ${problemNotice(outcome.problem)} ${body}
    `,
  });
}
