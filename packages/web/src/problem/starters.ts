import { formatBytes, startersOf, type Problem, type ProblemDetail, type Starter } from "@kernelbot/core";
import { codeBlock, codeLanguage } from "../code/highlight.ts";
import { html, type Html } from "../html.ts";

/** Starters longer than this many characters are not shown, only offered for download. */
const LONGEST_SHOWN = 20_000;

/** Renders the starters in each language, with buttons to copy and download them. */
export async function starters(problem: Problem): Promise<Html> {
  const found = startersOf(problem);
  if (found.length === 0) return html`<p class="empty">This problem has no starter.</p>`;
  return html`${await Promise.all(found.map((starter, at) => oneStarter(problem.spec.name, starter, at)))}`;
}

async function oneStarter(problem: string, { name, fileName, source }: Starter, at: number): Promise<Html> {
  const id = `starter-${at + 1}`;
  return html`<details class="starter" ${at === 0 ? html`open` : null}>
    <summary>${name} <small>${fileName}</small></summary>
    ${
      source.length > LONGEST_SHOWN
        ? html`<p>It has ${formatBytes(source.length)}.</p>`
        : html`<div id="${id}">${await codeBlock(source, codeLanguage(fileName))}</div>`
    }
    <p class="row">
      <a class="button quiet" href="/problems/${problem}/starters/${encodeURIComponent(fileName)}" download
        >Download ${fileName}</a
      >
      ${
        source.length > LONGEST_SHOWN
          ? null
          : html`<button type="button" class="quiet needs-script" data-copy="${id}">Copy</button>`
      }
    </p>
  </details>`;
}

const KNOWN: Record<string, string> = {
  "task.yml": "what it is: text, cases, tolerance, limits",
  "reference.py": "makes the inputs and computes the right answer; the speed-up is against it",
  "task.py": "the types that a submission imports",
  "task.h": "what a submission in C++ defines",
};

/** Renders the list of the problem's files. None of them contains seeds or expected outputs of timed runs. */
export function files({ spec, files }: Pick<ProblemDetail, "spec" | "files">): Html {
  const templates = new Set(Object.values(spec.templates));
  return html`<ul class="files">
    ${Object.entries(files)
      .toSorted(([a], [b]) => order(a) - order(b) || a.localeCompare(b))
      .map(([name, text]) => {
        const about =
          spec.harness === "imported"
            ? null
            : name === spec.main
              ? "the harness"
              : templates.has(text)
                ? "a starter"
                : (KNOWN[name] ?? null);
        return html`<li>
          <a href="/problems/${spec.name}/files/${encodeURIComponent(name)}"><code>${name}</code></a>
          ${about === null ? null : html`<small>${about}</small>`}
        </li>`;
      })}
  </ul>`;
}

function order(name: string): number {
  const at = ["reference.py", "task.yml"].indexOf(name);
  return at < 0 ? 2 : at;
}
