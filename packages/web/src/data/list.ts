/** Data page: an introduction and the list of snapshots. */
import { formatBytes, type Publication, type Snapshot, type SnapshotManifest } from "@kernelbot/core";
import { hiddenFields, problemNotice, checkbox } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";
import { analysisPath, snapshotPath } from "./paths.ts";
import { right, table } from "../layout/table.ts";

export const DESTINATION_NAMES: Record<Publication["destination"], string> = {
  hugging_face: "Hugging Face",
  object_store: "object store",
};

/** Snapshot in the list. */
interface ShownSnapshot extends Snapshot {
  licences: readonly string[];
}

export interface DataPage {
  visit: Visit;
  snapshots: readonly ShownSnapshot[];
  /** Ended competitions of which the viewer may request a snapshot; null if the viewer may request none. */
  offered: readonly { name: string; title: string }[] | null;
  /** Whether the viewer may request a snapshot of all ended competitions. */
  mayTakeAll: boolean;
  problem?: string | undefined;
}

export function dataPage(options: DataPage): Promise<string> {
  const { visit, snapshots, problem } = options;
  return page({
    title: "Data",
    visit,
    description: "Open data of kernel competitions: sources, verdicts, runtimes and every timed sample.",
    body: html`<div id="data">
      <h1>Data</h1>
      <p>
        After a competition has ended, its submissions are published as open data: sources, verdicts, runtimes and every
        timed sample, in Parquet files that never change. Each author decides whether and under which licence a
        submission is published, and whether under a pseudonym. Download a snapshot, or read its analyses here.
      </p>
      ${problemNotice(problem)} ${snapshots.length === 0 ? none() : list(snapshots)} ${requestForm(options)}
    </div>`,
  });
}

function none(): Html {
  return html`<p class="empty">
    No snapshots yet. The first one is created after a competition has ended. Until then, see the
    <a href="/">leaderboards</a>.
  </p>`;
}

function list(snapshots: readonly ShownSnapshot[]): Html {
  return html`<h2 id="snapshots">Snapshots</h2>
    ${table({ className: "stacked-rows", columns: ["Snapshot", "Competitions", "Licences", right("Size"), "Published"], rows: snapshots.map(row) })}`;
}

function row({
  id,
  state,
  provisional,
  createdAt,
  competitions,
  licences,
  sizeBytes,
  publications,
  progress,
  message,
}: ShownSnapshot) {
  return html`<tr>
    <th scope="row">
      <a href="${snapshotPath(id)}">Snapshot ${id}</a> <small class="block">${moment(createdAt)}</small>
      ${state === "ready" && provisional ? html`<span class="badge">provisional</span>` : null}
    </th>
    <td>
      ${competitions.map((name, at) => [
        at === 0 ? "" : ", ",
        state === "ready" ? html`<a href="${analysisPath(id, name)}">${name}</a>` : name,
      ])}
    </td>
    <td>${licences.join(", ")}</td>
    <td class="right number">
      ${sizeBytes === null ? formatState({ state, progress, message }) : formatBytes(sizeBytes)}
    </td>
    <td>${publications.map(publicationLink)}</td>
  </tr>`;
}

const PROVISIONAL = checkbox(
  "provisional",
  "1",
  false,
  "Include competitions with unfinished runs; the snapshot is then marked as provisional",
);

/** Formats the state of a snapshot that is not ready. */
export function formatState({
  state,
  progress,
  message,
}: Pick<Snapshot, "state" | "progress" | "message">): Html | string {
  if (state === "failed") return html`<span class="badge bad" title="${message ?? ""}">failed</span>`;
  if (progress.total === 0) return "queued";
  return `${Math.floor((100 * progress.done) / progress.total)} % complete`;
}

export function publicationLink({ destination, state, url, filesDone, filesTotal }: Publication): Html {
  const name = DESTINATION_NAMES[destination];
  if (state === "done") {
    const isWeb = url !== null && /^https?:\/\//.test(url);
    return isWeb ? html`<a href="${url}" rel="noopener">${name}</a> ` : html`${name} `;
  }
  const how = { waiting: "queued", uploading: `${filesDone} of ${filesTotal} files`, failed: "failed" }[state];
  return html`${name} <small>${how}</small> `;
}

/** Returns the licences of the submissions in a snapshot, sorted by name. */
export function licencesIn(manifest: Pick<SnapshotManifest, "competitions"> | null): string[] {
  return [...new Set(manifest?.competitions.flatMap(({ licences }) => Object.keys(licences)) ?? [])].toSorted();
}

function requestForm({ offered, mayTakeAll }: DataPage): Html | null {
  if (offered === null) return null;
  return html`<h2 id="make">Create a snapshot</h2>
    ${
      offered.length === 0
        ? html`<p class="empty">None of your competitions has ended yet.</p>`
        : html`<form method="post" action="/data" class="stack">
            <fieldset>
              <legend>Competitions</legend>
              ${offered.map(({ name, title }) => checkbox("competition", name, false, title))}
            </fieldset>
            ${PROVISIONAL}
            <div><button>Create snapshot</button></div>
          </form>`
    }
    ${
      mayTakeAll && offered.length > 0
        ? html`<form method="post" action="/data" class="inline">
            ${hiddenFields({ all: "1" })}<button class="quiet">Create a snapshot of all ended competitions</button>
          </form>`
        : null
    }
    <p>
      <small
        >Publication is permanent: once a submission is in a snapshot, its author can no longer withdraw its
        licence.</small
      >
    </p>`;
}
