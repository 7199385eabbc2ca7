import { formatBytes, startersOf, type Problem, type ProblemDetail, type Starter } from "@kernelbot/core";
import { codeBlock, codeLanguage } from "../code/highlight.ts";
import { html, type Html } from "../html.ts";

/** Starters longer than this many characters are not shown, only offered for download. */
const MAX_SHOWN = 20_000;

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
      source.length > MAX_SHOWN
        ? html`<p>Too long to show here (${formatBytes(source.length)}).</p>`
        : html`<div id="${id}">${await codeBlock(source, codeLanguage(fileName))}</div>`
    }
    <p class="row">
      <a class="button quiet" href="/problems/${problem}/starters/${encodeURIComponent(fileName)}" download
        >Download ${fileName}</a
      >
      ${
        source.length > MAX_SHOWN
          ? null
          : html`<button type="button" class="quiet needs-script" data-copy="${id}">Copy</button>`
      }
    </p>
  </details>`;
}

const FILE_DESCRIPTIONS: Record<string, string> = {
  "task.yml": "problem definition: description, cases, tolerance, limits",
  "reference.py": "generates the inputs and computes the expected output; speedups are relative to it",
  "task.py": "types that a submission imports",
  "task.h": "declarations of a C++ submission",
};

/** Renders the list of the problem's files. None of them contains seeds or expected outputs of timed runs. */
export function files({ spec, files }: Pick<ProblemDetail, "spec" | "files">): Html {
  const templates = new Set(Object.values(spec.templates));
  return html`<ul class="files">
    ${Object.entries(files)
      .toSorted(([a], [b]) => listPosition(a) - listPosition(b) || a.localeCompare(b))
      .map(([name, text]) => {
        const about =
          spec.harness === "imported"
            ? null
            : name === spec.main
              ? "harness"
              : templates.has(text)
                ? "starter"
                : (FILE_DESCRIPTIONS[name] ?? null);
        return html`<li>
          <a href="/problems/${spec.name}/files/${encodeURIComponent(name)}"><code>${name}</code></a>
          ${about === null ? null : html`<small>${about}</small>`}
        </li>`;
      })}
  </ul>`;
}

function listPosition(name: string): number {
  const at = ["reference.py", "task.yml"].indexOf(name);
  return at < 0 ? 2 : at;
}
