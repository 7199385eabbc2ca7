/** Page on which an entry is checked and submitted. */
import {
  MAX_ENTRY_BYTES,
  MAX_KERNEL_BYTES,
  type KernelBenchEntryCheck,
  type KernelBenchEntryFault,
  type SuiteSummary,
} from "@kernelbot/core";
import { breadcrumb } from "../layout/breadcrumb.ts";
import { problemNotice, option } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { count } from "../layout/format.ts";
import { noSuites } from "./suites.ts";
import { table } from "../layout/table.ts";

interface EntryFormFields {
  /** Suite and target as one value: `kernelbench H100`. */
  on: string;
  compiled: boolean;
}

export interface EntrySubmitPage {
  suites: readonly SuiteSummary[];
  fields: EntryFormFields;
  /** Result of checking the uploaded file, and its name; null before an upload. */
  checked: { check: KernelBenchEntryCheck; fileName: string } | null;
  problem?: string | undefined;
  visit: Visit;
}

/** Maximum number of faults in the table. A file with more faults usually repeats one mistake. */
const MAX_LISTED = 1000;

export function entrySubmitPage({ suites, fields, checked, problem, visit }: EntrySubmitPage): Promise<string> {
  return page({
    title: "Submit · KernelBench",
    description: "Validate and submit a KernelBench entry.",
    visit,
    body: html`<div id="entry-submit">
      ${breadcrumb([["KernelBench", "/kernelbench"]])}
      <h1>Submit an entry</h1>
      <p class="lead">
        One JSON file of at most ${MAX_ENTRY_BYTES / 1e6} MB: <code>metadata</code> with the model’s
        <code>display_name</code>, and <code>kernels</code> by key, each a Python source of at most
        ${MAX_KERNEL_BYTES / 1e3} kB that defines <code>ModelNew</code>.
      </p>
      ${problemNotice(problem)} ${checked === null ? null : result(checked)}
      ${suites.length === 0 ? noSuites(visit) : visit.viewer === null ? signInFirst() : form(suites, fields)}
      <details id="form">
        <summary>File format</summary>
        <pre tabindex="0" aria-label="Example"><code>{
  "metadata": { "display_name": "My Model", "organization": "Me", "notes": "", "backend": "triton" },
  "kernels": {
    "level_1_problem_19_sample_0": "import torch\\nclass ModelNew(torch.nn.Module): ..."
  }
}</code></pre>
        <p>
          Sample 0 of each problem is scored; further samples count for pass@k. A problem without a kernel counts as
          unsolved.
        </p>
      </details>
    </div>`,
  });
}

function signInFirst(): Html {
  return html`<p class="notice care">
    <a href="/sign-in?next=${encodeURIComponent("/kernelbench/submit")}">Sign in</a> to validate or submit a file: an
    entry belongs to an account.
  </p>`;
}

function form(suites: readonly SuiteSummary[], { on, compiled }: EntryFormFields): Html {
  return html`<form method="post" action="/kernelbench/submit" enctype="multipart/form-data" class="stack">
    <label for="on">Suite and target</label>
    <select id="on" name="on">
      ${suites.map(
        ({ name, targets }) =>
          html`<optgroup label="${name}">
            ${targets.map((target) => option(`${name} ${target}`, on, `${name} on ${target}`))}
          </optgroup>`,
      )}
    </select>
    <label for="file">File</label>
    <input id="file" name="file" type="file" accept=".json,application/json" required />
    <label class="choice">
      <input type="checkbox" name="compiled" value="1" ${compiled ? html`checked` : null} />Also time the compiled model
      in each session
    </label>
    <div class="buttons">
      <button name="act" value="submit">Submit</button>
      <button name="act" value="validate" class="quiet">Validate only</button>
    </div>
  </form>`;
}

function result({ check, fileName }: NonNullable<EntrySubmitPage["checked"]>): Html {
  const { ok, faults, levels, kernels } = check;
  const errors = faults.filter(({ severity }) => severity === "error").length;
  const warnings = faults.length - errors;
  const found = [
    errors === 0 ? null : count(errors, "error", "errors"),
    warnings === 0 ? null : count(warnings, "warning", "warnings"),
  ].filter((part) => part !== null);
  return html`<section aria-labelledby="checked" id="check">
    <h2 id="checked">${ok ? "File is valid" : "File rejected"}</h2>
    <p class="notice ${ok ? "good" : "bad"}" role="${ok ? "status" : "alert"}">
      ${fileName}: ${count(kernels, "kernel", "kernels")},
      ${found.length === 0 ? "no errors or warnings" : found.join(" and ")}.
    </p>
    <p>
      ${levels.map(
        ({ level, submitted, problems }, at) =>
          `${at === 0 ? "Level" : ", level"} ${level}: ${submitted} of ${count(problems, "problem", "problems")}`,
      )}.
    </p>
    ${faults.length === 0 ? null : faultTable(faults)}
  </section>`;
}

function faultTable(faults: readonly KernelBenchEntryFault[]): Html {
  const sorted = faults.toSorted((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
  return html`${table({
    className: "faults",
    columns: ["Location", "Message"],
    rows: sorted.slice(0, MAX_LISTED).map(
      ({ key, severity, what }) =>
        html`<tr>
          <th scope="row">${key === null ? "the file" : html`<code>${key}</code>`}</th>
          <td><span class="${severity === "error" ? "bad" : "care"}">${severity}</span> ${what}</td>
        </tr>`,
    ),
  })}
  ${faults.length > MAX_LISTED ? html`<p>${(faults.length - MAX_LISTED).toLocaleString("en-US")} more not shown.</p>` : null}`;
}
