/**
 * Code as HTML, by the grammars of the editor. Sources are strangers', and a parse of a hostile one has no useful bound:
 * so it is advanced in slices, between which the server serves others, and given up after a budget. What was given up,
 * or is too long to begin with, is shown plain.
 */
import { setImmediate as othersFirst } from "node:timers/promises";
import { parser as cpp } from "@lezer/cpp";
import { highlightCode } from "@lezer/highlight";
import { parser as python } from "@lezer/python";
import { raw } from "hono/html";
import { codeClasses } from "./code-classes.ts";
import { escaped, html, type Html } from "./html.ts";

const PARSERS = { python, cpp };
export type CodeLanguage = keyof typeof PARSERS;
type Parser = (typeof PARSERS)[CodeLanguage];
type Tree = ReturnType<Parser["parse"]>;

const LANGUAGES = new Map<string, CodeLanguage>([
  ...["py", "python"].map((name) => [name, "python"] as const),
  ...["c", "cc", "cpp", "c++", "cxx", "cu", "cuda", "h", "hh", "hpp", "cuh"].map((name) => [name, "cpp"] as const),
]);

/** The language of a file's name (`kernel.cu`) or of a mark in Markdown (`cuda`). Null where we have no grammar for it. */
export function codeLanguage(name: string): CodeLanguage | null {
  return LANGUAGES.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase()) ?? null;
}

/** Some 3,000 lines. Measured on Python of that length: 90 ms. */
const LONGEST = 128 * 1024;
/** What one text may cost, in processor time of this thread, and how long it holds the thread at a time. */
const BUDGET_MS = 250;
const SLICE_MS = 10;
/** Steps of a parse between two looks at the clock, which costs as much as several of them. */
const STEPS = 16;
/** Written at a time; a text of nothing but tokens takes some milliseconds for it. */
const WRITTEN = 8 * 1024;
/** A numbered line is some 80 characters of HTML, be it empty. */
const MOST_NUMBERED = 20_000;

/** The lines of a text, each a piece of HTML without its end. */
export async function highlightLines(text: string, language: CodeLanguage | null): Promise<Html[]> {
  return (await htmlLines(text, language)).map((line) => raw(line));
}

/** A text as a block. */
export async function codeBlock(text: string, language: CodeLanguage | null): Promise<Html> {
  return block(await htmlLines(text, language));
}

/** A text as a block whose lines are numbered and can be linked to (`#L12`). The numbers are not copied with it. */
export async function numberedCode(text: string, language: CodeLanguage | null): Promise<Html> {
  const lines = await htmlLines(text, language);
  if (lines.length > MOST_NUMBERED) return block(lines);
  const numbered = lines.map((line, at) => {
    const id = `L${at + 1}`;
    // The links are for the mouse: as stops of the keyboard there would be thousands.
    return `<span id="${id}"><a href="#${id}" tabindex="-1" aria-hidden="true"></a>${line}\n</span>`;
  });
  return html`<pre class="code numbered" tabindex="0"><code>${raw(numbered.join(""))}</code></pre>`;
}

function block(lines: readonly string[]): Html {
  return html`<pre class="code" tabindex="0"><code>${raw(lines.join("\n"))}</code></pre>`;
}

async function htmlLines(text: string, language: CodeLanguage | null): Promise<string[]> {
  const code = text.replace(/\r\n?/g, "\n");
  const lines = (language === null ? null : await highlighted(code, PARSERS[language])) ?? escaped(code).split("\n");
  // The end of the last line begins no other.
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}

/** Null where the text is too long or takes too much time. */
async function highlighted(code: string, parser: Parser): Promise<string[] | null> {
  if (code.length > LONGEST) return null;
  try {
    const tree = await parsed(code, parser);
    return tree === null ? null : await written(code, tree);
  } catch {
    // Texts that are no program have made the grammars' own code throw.
    return null;
  }
}

async function parsed(code: string, parser: Parser): Promise<Tree | null> {
  const parse = parser.startParse(code);
  let spent = 0;
  while (spent < BUDGET_MS) {
    const begin = threadMs();
    let slice = 0;
    while (slice < SLICE_MS) {
      for (let step = 0; step < STEPS; step++) {
        const tree = parse.advance();
        if (tree !== null) return tree;
      }
      slice = threadMs() - begin;
    }
    spent += slice;
    await othersFirst();
  }
  return null;
}

async function written(code: string, tree: Tree): Promise<string[]> {
  const lines: string[] = [];
  let line = "";
  const text = (piece: string, classes: string) => {
    line += classes === "" ? escaped(piece) : `<span class="${classes}">${escaped(piece)}</span>`;
  };
  const end = () => {
    lines.push(line);
    line = "";
  };
  for (let from = 0; from < code.length; from += WRITTEN) {
    highlightCode(code, tree, codeClasses, text, end, from, Math.min(from + WRITTEN, code.length));
    await othersFirst();
  }
  end();
  return lines;
}

/** Processor time of this thread: unlike the clock, it does not tell how busy the machine is with others. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
