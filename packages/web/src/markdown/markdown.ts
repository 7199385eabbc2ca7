/**
 * Renders the organisers' Markdown with formulas as HTML. Organisers' markup is not trusted: raw HTML and images are
 * not rendered, and links lead only to HTTP(S) URLs.
 */
import { tex } from "@mdit/plugin-tex";
import { raw } from "hono/html";
import MarkdownIt from "markdown-it";
import { formula, texSource } from "./formula.ts";
import { codeBlock, codeLanguage } from "../code/highlight.ts";
import { escaped, html, type Html } from "../html.ts";

/**
 * Maximum length in characters; longer texts are shown as written. A hostile text of this length takes 65 ms, and the
 * time grows quadratically.
 */
const MAX_CHARACTERS = 40_000;
/**
 * Texts with more formula delimiters are rendered without formulas: finding the end of each takes time proportional to
 * the text's length.
 */
const MAX_DELIMITERS = 500;
/** Maximum number of characters in all formulas of a text, and of highlighted code blocks; the rest is shown plain. */
const MAX_TEX = 20_000;
const MAX_HIGHLIGHTED = 20;

export type Token = ReturnType<MarkdownIt["parse"]>[number];
interface Environment {
  headingLevel: 1 | 2 | 3 | 4;
  texLeft: number;
  code: Map<Token, string>;
}

const PLAIN = withRules(new MarkdownIt({ html: false }));
const WITH_FORMULAS = withRules(new MarkdownIt({ html: false }).use(tex, { delimiters: "all", render: renderTex }));

/** Renders an organiser's Markdown text in an element of class `prose`. */
export async function prose(text: string, { headingLevel }: { headingLevel: 2 | 3 | 4 }): Promise<Html> {
  if (text.length > MAX_CHARACTERS) return html`<pre class="message">${text}</pre>`;
  const delimiters = text.match(/\$|\\[([]/g)?.length ?? 0;
  const markdown = delimiters > MAX_DELIMITERS ? PLAIN : WITH_FORMULAS;
  return renderProse(markdown, markdown.parse(text, {}), headingLevel);
}

/**
 * Renders parsed Markdown in an element of class `prose`.
 *
 * @param markdown Has the rules of `withRules`.
 * @param headingLevel Level of the HTML heading for a first-level heading.
 */
export async function renderProse(
  markdown: MarkdownIt,
  tokens: Token[],
  headingLevel: Environment["headingLevel"],
): Promise<Html> {
  const environment: Environment = { headingLevel, texLeft: MAX_TEX, code: new Map() };
  for (const token of tokens.filter(({ type }) => type === "fence" || type === "code_block")) {
    const [mark = ""] = token.info.trim().split(/\s/);
    const language = environment.code.size < MAX_HIGHLIGHTED ? codeLanguage(mark) : null;
    environment.code.set(token, (await codeBlock(token.content, language)).toString());
  }
  return html`<div class="prose">${raw(markdown.renderer.render(tokens, markdown.options, environment))}</div>`;
}

function renderTex(content: string, display: boolean, environment: Environment): string {
  environment.texLeft -= content.length;
  return environment.texLeft < 0 ? texSource(content) : formula(content, { display });
}

/** Returns `markdown` with the rules of this module. */
export function withRules(markdown: MarkdownIt): MarkdownIt {
  const { renderer } = markdown;
  const { rules } = renderer;
  markdown.validateLink = (address) => ["http:", "https:"].includes(addressOf(address)?.protocol ?? "");

  const code: NonNullable<typeof rules.fence> = (tokens, at, _, { code }: Environment) =>
    code.get(tokens[at] as Token) ?? "";
  rules.fence = code;
  rules.code_block = code;

  const heading: typeof code = (tokens, at, _, environment: Environment) => {
    const token = tokens[at] as Token;
    const level = Math.min(Number(token.tag.slice(1)) + environment.headingLevel - 1, 6);
    return `<${token.nesting < 0 ? "/" : ""}h${level}>`;
  };
  rules.heading_open = heading;
  rules.heading_close = heading;

  rules.table_open = () => '<div class="scroll" tabindex="0"><table>';
  rules.table_close = () => "</table></div>";
  for (const cell of ["th_open", "td_open"]) {
    rules[cell] = (tokens, at) => {
      const { tag, attrs } = tokens[at] as Token;
      const isRight = attrs?.some(([name, value]) => name === "style" && value.endsWith("right"));
      return isRight === true ? `<${tag} class="right">` : `<${tag}>`;
    };
  }

  rules.link_open = (tokens, at) => `<a ${linkTo(String((tokens[at] as Token).attrGet("href")))}>`;
  // Pages never load images from other sites, so an image becomes a link to it.
  rules.image = (tokens, at) => {
    const token = tokens[at] as Token;
    const label = escaped(token.content === "" ? "image" : token.content);
    const isInLink = tokens.slice(0, at).reduce((depth, { type }) => depth + (LINK_DEPTH[type] ?? 0), 0) > 0;
    return isInLink ? label : `<a ${linkTo(String(token.attrGet("src")))}>${label}</a>`;
  };
  return markdown;

  function linkTo(address: string): string {
    const foreign = addressOf(address)?.origin === HERE ? "" : ' rel="noopener nofollow ugc"';
    return `href="${escaped(address)}"${foreign}`;
  }
}

const LINK_DEPTH: Record<string, number> = { link_open: 1, link_close: -1 };

/** Origin that represents the server of the page. */
const HERE = "https://here.invalid";

/** Returns the URL that a browser on the page would open; null if the address is invalid. */
function addressOf(address: string): URL | null {
  return URL.canParse(address, HERE) ? new URL(address, HERE) : null;
}
