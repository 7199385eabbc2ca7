/** Frame shared by the admin pages: tabs, breadcrumb, title and notices. */
import { breadcrumb, type Crumb } from "../layout/breadcrumb.ts";
import type { Island } from "../assets/asset-files.ts";
import { doneNotice, problemNotice } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import { current, page } from "../layout/layout.ts";
import type { AdminTab, SignedVisit } from "../layout/page-context.ts";

/** Result of an admin form, shown as a notice above the page. */
export interface Outcome {
  /** Success message. */
  done?: string | null | undefined;
  /** Error message. */
  problem?: string | undefined;
}

/** Tabs in their order. Those of features are before the audit log. */
const TABS: readonly AdminTab[] = [
  { path: "/admin/competitions", name: "Competitions", role: "organiser" },
  { path: "/admin/problems", name: "Problems", role: "organiser" },
  { path: "/admin/runners", name: "Runners", role: "administrator" },
  { path: "/admin/accounts", name: "Accounts", role: "administrator" },
  { path: "/admin/launchers", name: "Launchers", role: "administrator" },
];
const AUDIT_LOG: AdminTab = { path: "/admin/audit", name: "Audit log", role: "administrator" };

export function adminPage({
  visit,
  title,
  above,
  body,
  outcome = {},
  islands = [],
  guide,
}: {
  visit: SignedVisit;
  title: string;
  /** Breadcrumb of a page below one of the tabs. */
  above?: readonly Crumb[];
  body: Html;
  outcome?: Outcome;
  islands?: readonly Island[];
  guide?: string;
}): Promise<string> {
  const { roles } = visit.viewer;
  const isAdministrator = roles.includes("administrator");
  const [here = ""] = visit.path.split("?");
  return page({
    visit,
    title,
    islands,
    guide,
    body: html`
      <nav aria-label="Administration">
        <ul class="tabs">
          <li><a href="/admin" ${here === "/admin" ? current("/admin", here) : null}>Overview</a></li>
          ${[...TABS, ...visit.adminTabs, AUDIT_LOG]
            .filter(({ role }) => isAdministrator || roles.includes(role))
            .map(({ path, name }) => html`<li><a href="${path}" ${current(path, here)}>${name}</a></li>`)}
        </ul>
      </nav>
      ${above === undefined ? null : breadcrumb(above)}
      <h1>${title}</h1>
      ${doneNotice(outcome.done ?? null)} ${problemNotice(outcome.problem)} ${body}
    `,
  });
}
