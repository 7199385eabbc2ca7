/** Pages of the documentation: one for each Markdown file, the start page, and the results of a search. */
import { raw } from "hono/html";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";
import type { Visit } from "../layout/page-context.ts";
import { contentsOf } from "./contents.ts";
import type { DocumentationPage, DocumentSection } from "./document.ts";
import { excerpt } from "./excerpt.ts";
import { documentationFrame } from "./frame.ts";

interface Documentation {
  /** All pages of the documentation. */
  pages: readonly DocumentationPage[];
  visit: Visit;
}

/** Section that a search found. */
export interface DocumentationHit {
  page: DocumentationPage;
  section: DocumentSection;
}

/** Renders a page of the documentation. */
export function documentationPage({
  open,
  pages,
  visit,
}: Documentation & { open: DocumentationPage }): Promise<string> {
  return documentationFrame({
    title: open.title,
    ...(open.summary === "" ? {} : { description: open.summary }),
    body: html`${raw(open.html)}`,
    pages,
    open,
    visit,
  });
}

/** Renders the start page of the documentation: all pages by section. */
export function documentationIndexPage({ pages, visit }: Documentation): Promise<string> {
  return documentationFrame({
    title: "Documentation",
    body: html`<h1>Documentation</h1>
      <p>
        New here? Choose the tutorial for your role. The guides describe single tasks, the reference lists every option
        and format, and the explanations describe how judging, scoring and isolation work.
      </p>
      <div class="grid">
        ${contentsOf(pages).map(
          (section) =>
            html`<section>
              <h2>${section.title}</h2>
              <ul class="plain">
                ${section.pages.map(
                  ({ path, title, summary }) =>
                    html`<li>
                      <a href="/docs/${path}">${title}</a>
                      ${path.startsWith("start/") ? html`<small class="block">${summary}</small>` : null}
                    </li>`,
                )}
              </ul>
            </section>`,
        )}
      </div>`,
    pages,
    visit,
  });
}

/** Renders the results of a search. `words` are the stems that the search matched. */
export function documentationSearchPage({
  query,
  hits,
  words,
  pages,
  visit,
}: Documentation & { query: string; hits: readonly DocumentationHit[]; words: readonly string[] }): Promise<string> {
  return documentationFrame({
    title: `Search: ${query}`,
    body: html`<h1>Search the documentation</h1>
      ${
        hits.length === 0
          ? html`<p class="empty">No section contains “${query}”. <a href="/docs">See all pages</a></p>`
          : html`<p class="quiet">${count(hits.length, "section", "sections")} for “${query}”</p>
              <ol class="plain hits">
                ${hits.map((hit) => result(hit, words))}
              </ol>`
      }`,
    pages,
    query,
    visit,
  });
}

function result({ page, section }: DocumentationHit, words: readonly string[]): Html {
  const isPage = section.id === "";
  return html`<li>
    <a href="/docs/${page.path}${isPage ? "" : `#${section.id}`}">${section.title}</a>
    ${isPage ? null : html`<small>${page.title}</small>`}
    <p>${excerpt(section.text, words)}</p>
  </li>`;
}
