/** Frame shared by the account pages: navigation, title and error notice. */
import { problemNotice } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import { current, page } from "../layout/layout.ts";
import type { SignedVisit } from "../layout/page-context.ts";

/** Account pages in navigation order, and the sections of the first one. */
const PAGES: readonly { path: string; name: string; sections?: readonly (readonly [string, string])[] }[] = [
  {
    path: "/account",
    name: "Account",
    sections: [
      ["name", "Name"],
      ["identities", "Sign-in methods"],
      ["data", "Published data"],
      ["tokens", "Tokens"],
      ["sessions", "Sessions"],
      ["your-data", "Your data"],
    ],
  },
  { path: "/account/webhooks", name: "Webhooks" },
  { path: "/account/decisions", name: "Decisions about you" },
];

export function accountFrame({
  visit,
  title,
  body,
  problem,
}: {
  visit: SignedVisit;
  title: string;
  body: Html;
  problem?: string | undefined;
}): Promise<string> {
  const [here = ""] = visit.path.split("?");
  return page({
    visit,
    title,
    body: html`
      <div class="account">
        <nav aria-label="Account">
          <ul class="plain">
            ${PAGES.map(
              ({ path, name, sections = [] }) =>
                html`<li>
                  <a href="${path}" ${path !== "/account" || here === path ? current(path, here) : null}>${name}</a>
                  ${
                    sections.length === 0
                      ? null
                      : html`<ul class="plain">
                          ${sections.map(([id, section]) => html`<li><a href="${path}#${id}">${section}</a></li>`)}
                        </ul>`
                  }
                </li>`,
            )}
          </ul>
        </nav>
        <div>
          <h1>${title}</h1>
          ${problemNotice(problem)} ${body}
        </div>
      </div>
    `,
  });
}
