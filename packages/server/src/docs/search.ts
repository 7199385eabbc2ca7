/** Full-text search over the sections of the documentation, in memory. */
import type { DocumentationHit, DocumentationPage } from "@kernelbot/web";

export interface SearchResult {
  /** Sections, best first. */
  hits: DocumentationHit[];
  /** Stems of the words that were searched for. */
  words: string[];
}

export type Search = (query: string) => SearchResult;

/** Parameters of BM25 (Robertson and Zaragoza 2009): saturation of repeated words, and weight of a section's length. */
const K1 = 1.2;
const B = 0.75;
/** Weight of a word by place, relative to the text of the section. */
const HEADING_WEIGHT = 5;
const PAGE_TITLE_WEIGHT = 2;
/** Weight of a longer word that begins with the one searched for. */
const PREFIX_WEIGHT = 0.5;
/** Shorter words only match whole words. */
const SHORTEST_PREFIX = 3;
/** Words of questions, which are ignored in queries that have others. */
const STOP_WORDS = new Set(
  "a an and are can do does for how i in is it my of on or the to what when where why with".split(" "),
);
const MOST_WORDS = 10;
const MOST_HITS = 20;

interface IndexedSection extends DocumentationHit {
  /** Number of words. */
  length: number;
}

/**
 * Creates a search over pages. Sections that contain all words of the query are ranked by BM25; if there are none,
 * sections with any of the words.
 */
export function createSearch(pages: readonly DocumentationPage[]): Search {
  const sections: IndexedSection[] = [];
  /** Weighted count of each word in each section that contains it. */
  const index = new Map<string, Map<IndexedSection, number>>();
  for (const page of pages) {
    for (const section of page.sections) {
      const words = stems(section.text);
      const indexed = { page, section, length: words.length };
      sections.push(indexed);
      const add = (word: string, weight: number): void => {
        const counts = index.get(word) ?? new Map<IndexedSection, number>();
        counts.set(indexed, (counts.get(indexed) ?? 0) + weight);
        index.set(word, counts);
      };
      for (const word of words) add(word, 1);
      for (const word of stems(section.title)) add(word, HEADING_WEIGHT);
      for (const word of stems(page.title)) add(word, PAGE_TITLE_WEIGHT);
    }
  }
  const averageLength = sections.reduce((sum, { length }) => sum + length, 0) / sections.length;

  /** Returns the weighted count of a word, and of longer words that begin with it, in each section. */
  function countsOf(word: string): Map<IndexedSection, number> {
    const counts = new Map(index.get(word));
    if (word.length < SHORTEST_PREFIX) return counts;
    for (const [longer, others] of index) {
      if (longer === word || !longer.startsWith(word)) continue;
      for (const [section, count] of others) counts.set(section, (counts.get(section) ?? 0) + PREFIX_WEIGHT * count);
    }
    return counts;
  }

  return (query) => {
    const asked = [...new Set(stems(query))].slice(0, MOST_WORDS);
    const telling = asked.filter((word) => !STOP_WORDS.has(word));
    const words = telling.length > 0 ? telling : asked;
    const scores = new Map<IndexedSection, { score: number; found: number }>();
    for (const word of words) {
      const counts = countsOf(word);
      const rarity = Math.log(1 + (sections.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [section, count] of counts) {
        const { score, found } = scores.get(section) ?? { score: 0, found: 0 };
        const saturated = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * section.length) / averageLength));
        scores.set(section, { score: score + rarity * saturated, found: found + 1 });
      }
    }
    const all = [...scores];
    const whole = all.filter(([, { found }]) => found === words.length);
    const hits = (whole.length > 0 ? whole : all)
      .toSorted(([, a], [, b]) => b.score - a.score)
      .slice(0, MOST_HITS)
      .map(([{ page, section }]) => ({ page, section }));
    return { hits, words };
  };
}

/** Returns the words of a text in lower case, without a plural's final s. */
function stems(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 ? word.replace(/(?<![su])s$/, "") : word,
  );
}
