import { hunkHeader, type DiffLine, type Side, type SourceDiff } from "@kernelbot/core";
import { html, type Html } from "./html.ts";

const SIGNS: Record<DiffLine["kind"], string> = { same: " ", removed: "-", added: "+" };

/** What changed from one source to another, as rows, with what to call each. */
export function sourceDiff(diff: SourceDiff, names: Record<Side, string>): Html {
  if (diff === null) return html`<p>The sources have too little in common to be shown line by line.</p>`;
  if (diff.length === 0) return html`<p>Both have the same source.</p>`;
  return html`<div class="scroll">
    <table class="diff">
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
            <tr>
              <td colspan="3"><small>${hunkHeader(hunk)}</small></td>
            </tr>
            ${hunk.lines.map(
              ({ kind, text, a, b }) =>
                html`<tr class="${kind}">
                  <td class="right number">${a}</td>
                  <td class="right number">${b}</td>
                  <td><code>${SIGNS[kind]} ${text}</code></td>
                </tr>`,
            )}
          </tbody>`,
      )}
    </table>
  </div>`;
}
