/** Renders a page of the documentation from its Markdown file. The files are part of the program and trusted. */
import { posix } from "node:path";
import MarkdownIt from "markdown-it";
import { escaped } from "../html.ts";
import { renderProse, withRules, type Token } from "../markdown/markdown.ts";

/** Part of a page from one heading to the next. */
export interface DocumentSection {
  /** Fragment of its URL; empty for the text below the title of the page. */
  id: string;
  title: string;
  /** 1 for the title of the page, then 2 to 6. */
  level: number;
  /** Paragraphs, lists, tables and code as plain text. */
  text: string;
}

export interface DocumentationPage {
  /** Path below `/docs/`, such as `guides/run-a-server`. */
  path: string;
  /** Folder of the optional feature that the page belongs to; null for pages of the platform. */
  feature: string | null;
  title: string;
  /** First paragraph below the title as plain text: kind of the page and its readers. Empty if there is none. */
  summary: string;
  sections: readonly DocumentSection[];
  html: string;
}

/**
 * Renders a Markdown file of the documentation. Links to other Markdown files become links to their pages; links to
 * files outside of the documentation become plain text.
 *
 * @param file Path from the root of the repository, such as `docs/guides/run-a-server.md`; pages of an optional feature are
 *   below `features/NAME/docs`.
 */
export async function renderDocument(file: string, text: string): Promise<DocumentationPage> {
  const tokens = withoutComments(MARKDOWN.parse(text, {}));
  addAnchors(tokens);
  for (const { children } of tokens) if (children !== null) rewriteLinks(file, children);
  const sections = sectionsOf(tokens);
  const [first] = sections;
  if (first?.level !== 1) throw new Error(`${file} must begin with a heading of level 1`);
  const at = tokens.findIndex(({ type }) => type === "heading_close");
  const summary = tokens[at + 1]?.type === "paragraph_open" ? plainText(tokens[at + 2]) : "";
  const html = await renderProse(MARKDOWN, tokens, 1);
  const feature = FOLDER.exec(file)?.[1] ?? null;
  return { path: pathOf(file), feature, title: first.title, summary, sections, html: html.toString() };
}

/** Folders of the documentation: that of the platform, and those of optional features. */
const FOLDER = /^(?:features\/([^/]+)\/)?docs\//;

/** Returns the path below `/docs/` of a file; a `README.md` is the page of its folder. */
function pathOf(file: string): string {
  return file.replace(FOLDER, "").replace(/(?:\/README)?\.md$/, "");
}

const MARKDOWN = withRules(new MarkdownIt({ html: false }));
const { rules } = MARKDOWN.renderer;
rules.heading_open = (tokens, at) => {
  const { tag, attrs } = tokens[at] as Token;
  const id = attrs?.[0]?.[1];
  return id === undefined ? `<${tag}>` : `<${tag} id="${id}"><a class="anchor" href="#${id}">`;
};
rules.heading_close = (tokens, at) => {
  const { tag, attrs } = tokens[at] as Token;
  return attrs === null ? `</${tag}>` : `</a></${tag}>`;
};
rules.image = (tokens, at) => {
  const token = tokens[at] as Token;
  return `<img src="${escaped(String(token.attrGet("src")))}" alt="${escaped(token.content)}" loading="lazy" />`;
};

/** Removes paragraphs that are an HTML comment, such as the marks around generated parts. */
function withoutComments(tokens: Token[]): Token[] {
  const isComment = (token: Token | undefined): boolean =>
    token?.type === "inline" && /^<!--[^>]*-->$/.test(token.content);
  return tokens.filter((_, at) => ![at - 1, at, at + 1].some((near) => isComment(tokens[near])));
}

/** Gives each heading below the title the fragment that GitHub gives it. Other headings of level 1 become level 2. */
function addAnchors(tokens: readonly Token[]): void {
  const used = new Set<string>();
  tokens.forEach((token, at) => {
    const end = tokens[at + 2];
    if (token.type !== "heading_open" || end === undefined || at === 0) return;
    if (token.tag === "h1") token.tag = end.tag = "h2";
    const slug = plainText(tokens[at + 1])
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    let id = slug;
    for (let number = 1; used.has(id); number++) id = `${slug}-${number}`;
    used.add(id);
    token.attrSet("id", id);
    end.attrSet("id", id);
  });
}

function rewriteLinks(file: string, children: Token[]): void {
  let isRemoved = false;
  for (const token of children) {
    if (token.type === "image") token.attrSet("src", urlOf(file, String(token.attrGet("src"))) ?? "");
    if (token.type === "link_open") {
      const url = urlOf(file, String(token.attrGet("href")));
      isRemoved = url === null;
      if (url !== null) token.attrSet("href", url);
    }
    if (isRemoved && token.type.startsWith("link_")) token.type = "text";
  }
}

/** Returns the URL for a link of a file; null if the link leads to a file outside of the documentation. */
function urlOf(file: string, link: string): string | null {
  if (/^(?:[a-z]+:|\/|#)/i.test(link)) return link;
  const [path = "", fragment] = link.split("#");
  const target = posix.join(posix.dirname(file), path);
  if (!FOLDER.test(target)) return null;
  return `/docs/${pathOf(target)}${fragment === undefined ? "" : `#${fragment}`}`;
}

function sectionsOf(tokens: readonly Token[]): DocumentSection[] {
  const sections: (DocumentSection & { texts: string[] })[] = [];
  tokens.forEach((token, at) => {
    if (token.type === "heading_open") {
      const title = plainText(tokens[at + 1]);
      const level = Number(token.tag.slice(1));
      sections.push({ id: token.attrGet("id") ?? "", title, level, text: "", texts: [] });
    } else if (tokens[at - 1]?.type !== "heading_open") sections.at(-1)?.texts.push(plainText(token));
  });
  return sections.map(({ texts, ...section }) => ({ ...section, text: texts.filter((text) => text !== "").join(" ") }));
}

/** Returns the text of an inline token or a code block; empty for other tokens. */
function plainText(token: Token | undefined): string {
  if (token === undefined) return "";
  if (token.children === null) return token.content.trim();
  return token.children
    .map(({ type, content }) => (type === "softbreak" || type === "hardbreak" ? " " : content))
    .join("");
}
