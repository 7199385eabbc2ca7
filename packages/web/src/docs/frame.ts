/** Frame shared by the pages of the documentation: search, contents and title. */
import { breadcrumb } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { contentsOf, type ContentsSection } from "./contents.ts";
import type { DocumentationPage } from "./document.ts";

export function documentationFrame({
  title,
  description,
  body,
  pages,
  open = null,
  query = "",
  visit,
}: {
  title: string;
  description?: string;
  body: Html;
  /** All pages of the documentation. */
  pages: readonly DocumentationPage[];
  /** Page that is open, next to the contents; null for the start page and the search. */
  open?: DocumentationPage | null;
  /** Words in the search field. */
  query?: string;
  visit: Visit;
}): Promise<string> {
  return page({
    title: title === "Documentation" ? title : `${title} · Documentation`,
    ...(description === undefined ? {} : { description }),
    visit,
    body: html`<div class="docs-top">
        ${visit.path === "/docs" ? null : breadcrumb([["Documentation", "/docs"]])} ${searchForm(query)}
      </div>
      ${
        open === null
          ? html`<div class="docs">${body}</div>`
          : html`<div class="docs with-contents">
              <div>${body}</div>
              <nav aria-label="Documentation">${contentsOf(pages).map((section) => contents(section, open))}</nav>
            </div>`
      }`,
  });
}

function searchForm(query: string): Html {
  return html`<form method="get" action="/docs" class="row" role="search">
    <label for="docs-search" class="visually-hidden">Words</label>
    <input id="docs-search" name="q" type="search" value="${query}" placeholder="Search" maxlength="200" />
    <button class="quiet">Search</button>
  </form>`;
}

function contents({ title, pages }: ContentsSection, open: DocumentationPage): Html {
  return html`<details ${pages.includes(open) ? html`open` : null}>
    <summary>${title}</summary>
    <ul class="plain">
      ${pages.map(
        (each) =>
          html`<li>
            <a href="/docs/${each.path}" ${each === open ? html`aria-current="page"` : null}>${each.title}</a>
            ${each === open ? onThisPage(each) : null}
          </li>`,
      )}
    </ul>
  </details>`;
}

/** Renders links to the sections of the open page; null if it has fewer than two. */
function onThisPage({ sections }: DocumentationPage): Html | null {
  const linked = sections.filter(({ level }) => level === 2);
  if (linked.length < 2) return null;
  return html`<ul class="plain">
    ${linked.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
  </ul>`;
}
