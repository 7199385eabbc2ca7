/**
 * Syntax highlighting with the grammars of the editor. Sources are untrusted, and parsing a hostile one has no useful
 * time bound. The parse therefore advances in slices, between which the server handles other requests, and is abandoned
 * after a budget. Sources that exceed the budget or the maximum length are shown without colours.
 */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { highlightCode } from "@lezer/highlight";
import { raw } from "hono/html";
import { codeClasses } from "./classes.ts";
import { escaped, html, type Html } from "../html.ts";

/** Grammars, loaded with the first text of their language. */
const PARSERS = {
  python: async () => (await import("./python.ts")).PYTHON,
  cpp: async () => (await import("@lezer/cpp")).parser,
};
type CodeLanguage = keyof typeof PARSERS;
type Parser = Awaited<ReturnType<(typeof PARSERS)[CodeLanguage]>>;
type Tree = ReturnType<Parser["parse"]>;

const LANGUAGES = new Map<string, CodeLanguage>([
  ...["py", "python"].map((name) => [name, "python"] as const),
  ...["c", "cc", "cpp", "c++", "cxx", "cu", "cuda", "h", "hh", "hpp", "cuh"].map((name) => [name, "cpp"] as const),
]);

/**
 * Returns the language of a file name (`kernel.cu`) or of a Markdown code block (`cuda`). Null without a grammar for
 * it.
 */
export function codeLanguage(name: string): CodeLanguage | null {
  return LANGUAGES.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase()) ?? null;
}

/** Maximum length in characters, about 3,000 lines. Measured on Python of that length: 90 ms. */
const MAX_CHARACTERS = 128 * 1024;
/** CPU time in milliseconds for one text in total, and for one slice before other work gets the thread. */
const BUDGET_MS = 250;
const SLICE_MS = 10;
/** Parse steps between two readings of the CPU time, each of which costs as much as several steps. */
const STEPS = 16;
/** Characters written as HTML at a time; if they are all tokens, this takes some milliseconds. */
const CHUNK_CHARACTERS = 8 * 1024;
/** Maximum number of numbered lines: each adds about 80 characters of HTML, even if empty. */
const MAX_NUMBERED_LINES = 20_000;

/** Returns the lines of a text as HTML, without line breaks. */
export async function highlightLines(text: string, language: CodeLanguage | null): Promise<Html[]> {
  return (await htmlLines(text, language)).map((line) => raw(line));
}

/** Renders a text as a code block. */
export async function codeBlock(text: string, language: CodeLanguage | null): Promise<Html> {
  return block(await htmlLines(text, language));
}

/**
 * Renders a text as a code block with numbered lines, which can be linked to (`#L12`). Line numbers are not copied with
 * the text. Texts of more than `MAX_NUMBERED_LINES` lines have none.
 */
export async function numberedCode(text: string, language: CodeLanguage | null): Promise<Html> {
  const lines = await htmlLines(text, language);
  return lines.length > MAX_NUMBERED_LINES ? block(lines) : numberedBlock(lines);
}

/** Number of lines of the start of a text; `.numbered.rest` counts from the next one. */
const START_LINES = 24;

/** Renders a text as two code blocks with numbered lines: its start, and the rest, which is null for a short text. */
export async function numberedStart(
  text: string,
  language: CodeLanguage | null,
): Promise<{ first: Html; rest: Html | null; left: number }> {
  const lines = await htmlLines(text, language);
  // A few more lines are not worth a fold.
  const start = lines.length <= START_LINES + 4 ? lines.length : START_LINES;
  const rest = lines.slice(start);
  return {
    first: numberedBlock(lines.slice(0, start)),
    rest: rest.length === 0 ? null : numberedBlock(rest, start),
    left: rest.length,
  };
}

function numberedBlock(lines: readonly string[], before = 0): Html {
  const numbered = lines.map((line, at) => {
    const id = `L${before + at + 1}`;
    // The links are for the mouse only: in the tab order there would be thousands of them.
    return `<span id="${id}"><a href="#${id}" tabindex="-1" aria-hidden="true"></a>${line}\n</span>`;
  });
  const classes = before === 0 ? "code numbered" : "code numbered rest";
  return html`<pre class="${classes}" tabindex="0"><code>${raw(numbered.join(""))}</code></pre>`;
}

function block(lines: readonly string[]): Html {
  return html`<pre class="code" tabindex="0"><code>${raw(lines.join("\n"))}</code></pre>`;
}

async function htmlLines(text: string, language: CodeLanguage | null): Promise<string[]> {
  const code = text.replace(/\r\n?/g, "\n");
  const lines =
    (language === null ? null : await highlight(code, await PARSERS[language]())) ?? escaped(code).split("\n");
  // A final newline does not start another line.
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}

/** Returns the highlighted lines; null if the text is too long, takes too much time or makes the grammar throw. */
async function highlight(code: string, parser: Parser): Promise<string[] | null> {
  if (code.length > MAX_CHARACTERS) return null;
  try {
    const tree = await parseInSlices(code, parser);
    return tree === null ? null : await toHtmlLines(code, tree);
  } catch {
    // Texts that are not programs have made the grammars throw.
    return null;
  }
}

async function parseInSlices(code: string, parser: Parser): Promise<Tree | null> {
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
    await yieldToEventLoop();
  }
  return null;
}

async function toHtmlLines(code: string, tree: Tree): Promise<string[]> {
  const lines: string[] = [];
  let line = "";
  const text = (piece: string, classes: string) => {
    line += classes === "" ? escaped(piece) : `<span class="${classes}">${escaped(piece)}</span>`;
  };
  const end = () => {
    lines.push(line);
    line = "";
  };
  for (let from = 0; from < code.length; from += CHUNK_CHARACTERS) {
    highlightCode(code, tree, codeClasses, text, end, from, Math.min(from + CHUNK_CHARACTERS, code.length));
    await yieldToEventLoop();
  }
  end();
  return lines;
}

/**
 * Returns the CPU time of this thread in milliseconds. Unlike wall time, the value does not depend on the machine's
 * load.
 */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
