import { hunkHeader, type DiffLine, type Side, type SourceDiff } from "@kernelbot/core";
import { codeLanguage, highlightLines } from "../code/highlight.ts";
import { html, type Html } from "../html.ts";

/** File on one side of a comparison. */
interface ComparedFile {
  fileName: string;
  source: string;
}

/** Highlighted lines of both files; without them, a difference is shown without colours. */
type ComparedLines = Record<Side, readonly Html[]>;

/** Returns the lines of two files as a diff counts them: a carriage return without a newline does not end a line. */
export async function comparedLines(files: Record<Side, ComparedFile>): Promise<ComparedLines> {
  const lines = ({ fileName, source }: ComparedFile) =>
    highlightLines(source.replace(/\r(?!\n)/g, " "), codeLanguage(fileName));
  return { a: await lines(files.a), b: await lines(files.b) };
}

/** Renders the difference between two sources as rows, with a name for each source. */
export function sourceDiff(diff: SourceDiff, names: Record<Side, string>, lines?: ComparedLines): Html {
  if (diff === null) return html`<p>The sources have too little in common to be shown line by line.</p>`;
  if (diff.length === 0) return html`<p>The sources are identical.</p>`;
  return html`<table class="diff code">
    <thead>
      <tr>
        <th scope="col" class="right">${names.a}</th>
        <th scope="col" class="right">${names.b}</th>
        <th scope="col">From ${names.a} to ${names.b}</th>
      </tr>
    </thead>
    ${diff.map(
      (hunk) =>
        html`<tbody>
          <tr class="hunk">
            <td colspan="3">${hunkHeader(hunk)}</td>
          </tr>
          ${hunk.lines.map((line) => row(line, lines))}
        </tbody>`,
    )}
  </table>`;
}

/** Renders a line. CSS generates the line numbers, so that they are not copied with the code. */
function row(line: DiffLine, lines: ComparedLines | undefined): Html {
  return html`<tr class="${line.kind}">
    <td class="line" data-line="${line.a ?? ""}"></td>
    <td class="line" data-line="${line.b ?? ""}"></td>
    <td>${marked(line.kind, html`<code>${textOf(line, lines)}</code>`)}</td>
  </tr>`;
}

function marked(kind: DiffLine["kind"], code: Html): Html {
  if (kind === "same") return code;
  return kind === "added" ? html`<ins>${code}</ins>` : html`<del>${code}</del>`;
}

function textOf({ text, a, b }: DiffLine, lines: ComparedLines | undefined): Html | string {
  const highlighted = a === null ? lines?.b[(b ?? 0) - 1] : lines?.a[a - 1];
  return highlighted ?? text;
}
