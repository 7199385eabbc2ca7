/** Full-text search over the sections of the documentation, in memory. */
import type { DocumentationHit, DocumentationPage } from "@kernelbot/web";
import MiniSearch from "minisearch";

interface SearchResult {
  /** Sections, best first. */
  hits: DocumentationHit[];
  /** Stems of the words that were searched for. */
  words: string[];
}

/** @param isShown Whether the sections of a page may be found. */
export type Search = (query: string, isShown: (page: DocumentationPage) => boolean) => SearchResult;

/** Shorter words only match whole words. */
const SHORTEST_PREFIX = 3;
/** Words of questions, which are ignored in queries that have others. */
const STOP_WORDS = new Set(
  "a an and are can do does for how i in is it my of on or the to what when where why with".split(" "),
);
const MOST_WORDS = 10;
const MOST_HITS = 20;

/**
 * Creates a search over pages. Sections that contain all words of the query are ranked by BM25; if there are none,
 * sections with any of the words. Longer words that begin with the one searched for count less.
 */
export function createSearch(pages: readonly DocumentationPage[]): Search {
  const sections = pages.flatMap((page) => page.sections.map((section) => ({ page, section })));
  const index = new MiniSearch({
    fields: ["title", "page", "text"],
    tokenize: stems,
    processTerm: (word) => word,
    searchOptions: { boost: { title: 5, page: 2 }, prefix: (word) => word.length >= SHORTEST_PREFIX },
  });
  index.addAll(sections.map(({ page, section: { title, text } }, id) => ({ id, title, text, page: page.title })));

  return (query, isShown) => {
    const queried = [...new Set(stems(query))].slice(0, MOST_WORDS);
    const significant = queried.filter((word) => !STOP_WORDS.has(word));
    const words = significant.length > 0 ? significant : queried;
    const text = words.join(" ");
    const find = (combineWith: "AND" | "OR") =>
      index.search(text, { combineWith }).flatMap(({ id }) => {
        const found = sections[id as number];
        return found === undefined || !isShown(found.page) ? [] : [found];
      });
    const whole = find("AND");
    const hits = (whole.length > 0 ? whole : find("OR")).slice(0, MOST_HITS);
    return { hits, words };
  };
}

/** Returns the words of a text in lower case, without a plural's final s. */
function stems(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 ? word.replace(/(?<![su])s$/, "") : word,
  );
}
