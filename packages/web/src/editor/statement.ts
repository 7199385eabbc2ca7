/** Problem statement next to the editor: description, rules and cases, foldable. */
import type { ProblemSpec } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { prose } from "../markdown/markdown.ts";
import { caseTables } from "../problem/cases.ts";
import { judgingFacts } from "../problem/facts.ts";

export async function statement(spec: ProblemSpec): Promise<Html> {
  return html`<details class="statement" open>
    <summary>Problem statement</summary>
    <div class="statement-text" tabindex="0" role="region" aria-label="Problem statement">
      ${await prose(spec.description, { headingLevel: 2 })}
      ${
        spec.harness === "imported"
          ? null
          : html`<h2>Rules</h2>
              <dl class="facts">${judgingFacts(spec)}</dl>
              <h2>Cases</h2>
              ${caseTables(spec)}`
      }
    </div>
  </details>`;
}
