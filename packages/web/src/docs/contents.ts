/** Contents of the documentation: its pages by section, in the order of the sidebar. */
import type { DocumentationPage } from "./document.ts";

export interface ContentsSection {
  title: string;
  pages: readonly DocumentationPage[];
}

/** Sections by title, each with a predicate for its pages. A page belongs to the first section that matches. */
const SECTIONS: readonly [title: string, isIn: (page: DocumentationPage) => boolean][] = [
  ["Start", isBelow("start/")],
  ["Guides for participants", isGuideFor("participants")],
  ["Guides for organisers and moderators", isGuideFor("organisers", "moderators", "authors of problems")],
  ["Guides for operators", isGuideFor("operators", "administrators")],
  ["Guides for researchers", isGuideFor("researchers")],
  ["Guides for developers", isBelow("guides/")],
  ["Reference", isBelow("reference/")],
  ["Explanation", isBelow("explanation/")],
  ["Contribute", () => true],
];

/**
 * Returns the sections with their pages by title; sections without pages are left out. Single decision records are left
 * out too: their own page lists them.
 */
export function contentsOf(pages: readonly DocumentationPage[]): ContentsSection[] {
  const listed = pages.filter(({ path }) => !path.startsWith("adr/"));
  const groups = Map.groupBy(listed, (page) => SECTIONS.find(([, isIn]) => isIn(page))?.[0]);
  return SECTIONS.flatMap(([title]) => {
    const own = groups.get(title) ?? [];
    return own.length === 0 ? [] : [{ title, pages: own.toSorted((a, b) => a.title.localeCompare(b.title, "en")) }];
  });
}

function isBelow(folder: string): (page: DocumentationPage) => boolean {
  return ({ path }) => path.startsWith(folder);
}

/** Returns a predicate for guides whose summary names one of these readers first ("How-to guide, for operators."). */
function isGuideFor(...readers: string[]): (page: DocumentationPage) => boolean {
  return ({ path, summary }) =>
    path.startsWith("guides/") && readers.some((reader) => summary.startsWith(`How-to guide, for ${reader}`));
}
