/** Snapshot page: dataset card, files, publications and how to load the data. */
import { formatBytes, type SnapshotDetails, type SnapshotManifest } from "@kernelbot/core";
import { button, problemNotice } from "../layout/forms.ts";
import { breadcrumb } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { prose } from "../markdown/markdown.ts";
import type { Visit } from "../layout/page-context.ts";
import { count, moment } from "../layout/format.ts";
import { analysisPath, filePath } from "./paths.ts";
import { DESTINATION_NAMES, publicationLink, formatState } from "./list.ts";
import { fact, right, table } from "../layout/table.ts";

interface SnapshotPage {
  visit: Visit;
  snapshot: SnapshotDetails;
  /** Dataset card in Markdown, without its header; null if the snapshot has none. */
  card: string | null;
  /** Base URL of this server, for the commands. */
  server: string;
  /** Whether the viewer may publish the snapshot. */
  mayPublish: boolean;
  problem?: string | undefined;
}

export async function snapshotPage({
  visit,
  snapshot,
  card,
  server,
  mayPublish,
  problem,
}: SnapshotPage): Promise<string> {
  const { id, manifest } = snapshot;
  return page({
    title: `Snapshot ${id} · Data`,
    visit,
    description: `Snapshot ${id}: open data of ${snapshot.competitions.join(", ")}.`,
    body: html`<div id="snapshot">
      ${breadcrumb([["Data", "/data"]])}
      <h1>Snapshot ${id}</h1>
      ${problemNotice(problem)}
      ${manifest === null ? notReady(snapshot, mayPublish) : await ready(snapshot, manifest, { card, server, mayPublish })}
    </div>`,
  });
}

function notReady(snapshot: SnapshotDetails, mayPublish: boolean): Html {
  const { id, state, competitions, createdAt, message, publications } = snapshot;
  return html`<p class="${state === "failed" ? "notice bad" : "empty"}">
      ${
        state === "failed"
          ? html`The snapshot could not be created: ${message}. Request it again after fixing the cause.`
          : html`This snapshot of ${competitions.join(", ")} is being created since ${moment(createdAt)}:
            ${formatState(snapshot)}. Check back soon.`
      }
    </p>
    ${state === "building" && message !== null ? html`<p class="notice bad">Not created yet: ${message}</p>` : null}
    ${publications.length === 0 ? null : html`<p>To be published: ${publications.map(publicationLink)}</p>`}
    ${mayPublish ? publishForms(id, publications) : null}`;
}

async function ready(
  { id, sizeBytes, publications }: SnapshotDetails,
  manifest: SnapshotManifest,
  { card, server, mayPublish }: Pick<SnapshotPage, "card" | "server" | "mayPublish">,
): Promise<Html> {
  const { asOf, competitions, withdrawn } = manifest;
  return html`<dl class="facts">
      ${fact("As of", moment(asOf))}
      ${fact("Size", html`${formatBytes(sizeBytes ?? 0)} in ${count(manifest.files.length, "file", "files")}`)}
      ${fact(
        "Withdrawn",
        withdrawn.length === 0
          ? "none"
          : `${count(withdrawn.length, "submission", "submissions")} of earlier snapshots`,
      )}
      ${fact("Published", publications.length === 0 ? "only on this server" : publications.map(publicationLink))}
    </dl>
    ${provisionalNotice(manifest)} ${publications.map(publicationError)}
    ${mayPublish ? publishForms(id, publications) : null}
    <h2 id="competitions">Competitions</h2>
    ${table({
      label: "Competitions",
      columns: ["Competition", right("Submissions"), right("Runs"), right("Authors"), right("Withheld"), "Licences"],
      rows: competitions.map(
        (each) =>
          html`<tr>
            <th scope="row"><a href="${analysisPath(id, each.name)}">${each.title}</a></th>
            <td class="right number">${figure(each.submissions)}</td>
            <td class="right number">${figure(each.runs)}</td>
            <td class="right number">${figure(each.users)}</td>
            <td class="right number">${figure(each.withheld)}</td>
            <td>
              ${Object.entries(each.licences)
                .map(([licence, of]) => `${licence} ${figure(of)}`)
                .join(", ")}
            </td>
          </tr>`,
      ),
    })}
    <p><small>Withheld: submissions that their authors did not license for publication.</small></p>
    ${loading(id, server, competitions[0]?.name ?? "")} ${files(id, manifest)}
    ${
      card === null
        ? null
        : html`<details id="card">
            <summary>Dataset card</summary>
            ${await prose(card, { headingLevel: 2 })}
          </details>`
    }`;
}

function provisionalNotice({ provisional, competitions }: SnapshotManifest): Html | null {
  if (!provisional) return null;
  const runs = competitions.reduce((sum, { unfinished }) => sum + unfinished, 0);
  return html`<p class="notice bad">
    Provisional: ${count(runs, "run was", "runs were")} unfinished when the snapshot was created. A later snapshot has
    more rows, and ranks may differ.
  </p>`;
}

/** Renders why a publication is not done; null if it is done or has no message. */
function publicationError({ destination, state, message }: SnapshotDetails["publications"][number]): Html | null {
  if (state === "done" || message === null) return null;
  return html`<p class="notice bad">${DESTINATION_NAMES[destination]}: ${message}</p>`;
}

function publishForms(id: number, publications: SnapshotDetails["publications"]): Html {
  const open = (Object.keys(DESTINATION_NAMES) as (keyof typeof DESTINATION_NAMES)[]).filter((destination) =>
    publications.every((each) => each.destination !== destination || each.state === "failed"),
  );
  return html`<div class="buttons">
    ${open.map((destination) => button(`/data/${id}/publish`, `Publish on ${DESTINATION_NAMES[destination]}`, { destination }, true))}
  </div>`;
}

function loading(id: number, server: string, competition: string): Html {
  const block = (label: string, code: string): Html =>
    html`<h3>${label}</h3>
      <pre tabindex="0" aria-label="${label}"><code>${code}</code></pre>`;
  return html`<h2 id="load">Load the data</h2>
    ${block(
      "Command line",
      `kernelbot dataset download ${id} --server ${server}\nkernelbot dataset top\nkernelbot dataset query "select problem, min(score_ns) from submissions group by problem"`,
    )}
    ${block("DuckDB", `select problem, target, user_name, score_ns\nfrom '${server}${filePath(id, `${competition}/submissions.parquet`)}'\nwhere place = 1;`)}
    ${block("pandas", `import pandas as pd\n\nfacts = pd.read_parquet("${server}${filePath(id, `${competition}/submissions.parquet`)}")`)}`;
}

function files(id: number, { files }: SnapshotManifest): Html {
  return html`<h2 id="files">Files</h2>
    ${table({
      label: "Files",
      columns: ["File", right("Rows"), right("Size"), "SHA-256"],
      rows: files.map(
        ({ path, rows, sizeBytes, sha256 }) =>
          html`<tr>
            <th scope="row"><a href="${filePath(id, path)}">${path}</a></th>
            <td class="right number">${rows === null ? "" : figure(rows)}</td>
            <td class="right number">${formatBytes(sizeBytes)}</td>
            <td><code title="${sha256}">${sha256.slice(0, 12)}…</code></td>
          </tr>`,
      ),
    })}
    <p>Machine-readable manifest: <a href="${filePath(id, "dataset.json")}">dataset.json</a></p>`;
}

function figure(number: number): string {
  return number.toLocaleString("en-US");
}
