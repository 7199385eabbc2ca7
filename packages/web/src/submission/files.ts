/** Files of a run other than its results, as downloads. */
import { formatBytes, type RunDetail } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment } from "../layout/format.ts";

export function files({ id, artifacts }: RunDetail): Html | null {
  if (artifacts.length === 0) return null;
  return html`<h3>Files</h3>
    <ul class="files">
      ${artifacts.map(
        ({ name, sizeBytes, deletedAt }) =>
          html`<li>
            ${
              deletedAt === null
                ? html`<a href="/api/v1/runs/${id}/artifacts/${name}" download>${name}</a>
                    <small class="number">${formatBytes(sizeBytes)}</small>`
                : html`${name} <small>deleted ${moment(deletedAt)}; submit again in mode profile to recreate it</small>`
            }
          </li>`,
      )}
    </ul>`;
}
