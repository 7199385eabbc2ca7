/** Moderation queue: flagged runs and open appeals, oldest first. */
import { FLAG_CHECKS, type FlagCheck, type ModerationQueue, type ModerationQueueCounts } from "@kernelbot/core";
import { doneNotice, option } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { capital, count, moment } from "../layout/format.ts";
import { formatDecision } from "./decision-list.ts";
import { table } from "../layout/table.ts";

/** Filter of the queue: the runs that one check flagged, the appeals, or all; of one problem or of all. */
export interface QueueQuery {
  kind?: FlagCheck | "appeal" | undefined;
  problem?: string | undefined;
}

export interface QueuePage extends ModerationQueue {
  visit: SignedVisit;
  counts: ModerationQueueCounts;
  query: QueueQuery;
  /** Success message. */
  done?: string | null;
}

export function moderationPage({ visit, items, appeals, counts, query, done = null }: QueuePage): Promise<string> {
  const { kind } = query;
  return page({
    visit,
    title: "Moderation",
    islands: ["keyboard"],
    body: html`
      <h1>Moderation</h1>
      ${doneNotice(done)} ${kinds(counts, appeals.length, query)} ${problemFilter(counts, query)}
      ${kind === "appeal" ? null : runs(items, counts, query)}
      ${kind === undefined || kind === "appeal" ? appealSection(appeals, query) : null}
    `,
  });
}

/** Returns a path with the filter of the queue. */
export function inQueue(path: string, { kind, problem }: QueueQuery): string {
  const query = new URLSearchParams({ ...(kind && { kind }), ...(problem && { problem }) }).toString();
  return query === "" ? path : `${path}?${query}`;
}

function kinds(counts: ModerationQueueCounts, appeals: number, { kind, problem }: QueueQuery): Html {
  const of = (check: FlagCheck): number => counts.checks.find((each) => each.check === check)?.runs ?? 0;
  const tab = (value: QueueQuery["kind"], label: string, runs: number): Html =>
    html`<li>
      <a href="${inQueue("/moderation", { kind: value, problem })}" ${kind === value ? html`aria-current="page"` : null}
        >${label} <span class="number quiet">${runs}</span></a
      >
    </li>`;
  return html`<nav aria-label="Flags">
    <ul class="tabs">
      ${tab(undefined, "All", counts.runs + appeals)}
      ${FLAG_CHECKS.filter((check) => of(check) > 0 || check === kind).map((check) =>
        tab(check, KINDS[check], of(check)),
      )}
      ${tab("appeal", "Appeals", appeals)}
    </ul>
  </nav>`;
}

/** Short labels of the checks that flag runs. */
export const KINDS: Readonly<Record<FlagCheck, string>> = {
  judge: "Judge",
  speed_of_light: "Speed of light",
  no_score: "No score",
  rerun: "Re-run",
  moderator: "Flagged",
  report: "Reported",
};

function problemFilter({ problems }: ModerationQueueCounts, { kind, problem }: QueueQuery): Html | null {
  if (kind === "appeal" || (problems.length < 2 && problem === undefined)) return null;
  return html`<form method="get" action="/moderation" class="filters">
    ${kind === undefined ? null : html`<input type="hidden" name="kind" value="${kind}" />`}
    <label
      >Problem
      <select name="problem">
        <option value="">All</option>
        ${problems.map((each) => option(each.problem, problem, `${each.problem} (${each.runs})`))}
      </select>
    </label>
    <button class="quiet">Filter</button>
  </form>`;
}

function runs(items: ModerationQueue["items"], counts: ModerationQueueCounts, query: QueueQuery): Html {
  if (items.length === 0) {
    const others = query.kind === undefined && query.problem === undefined ? 0 : counts.runs;
    return html`<h2 id="runs" class="visually-hidden">Runs</h2>
      <p class="empty">
        ${others === 0 ? "No flagged runs." : "No flagged runs match this filter."}
        ${others === 0 ? null : html`<a href="/moderation">${count(others, "other run", "other runs")}</a>`}
      </p>`;
  }
  return html`<h2 id="runs" class="visually-hidden">Runs</h2>
    ${table({ className: "waiting stacked-rows", columns: ["Run", "Flags", "Leaderboard", "Account", "Since"], rows: items.map((item) => runRow(item, query)) })}
    ${
      items.length < counts.runs && query.kind === undefined && query.problem === undefined
        ? html`<p>
            <small>Showing the oldest ${items.length} of ${counts.runs}. The others appear as these are decided.</small>
          </p>`
        : null
    }`;
}

function runRow(item: ModerationQueue["items"][number], query: QueueQuery): Html {
  const { runId, flags, review, verdict, board, target, account, finishedAt } = item;
  return html`<tr>
    <th scope="row">
      <a href="${inQueue(`/moderation/runs/${runId}`, query)}" data-step>Run ${runId}</a>
    </th>
    <td>
      <ul class="plain">
        ${flags.map(
          ({ check, by, message }) =>
            html`<li>
              <span class="badge care">${KINDS[check]}</span> ${by === null ? null : html`<strong>${by.name}</strong>:`}
              ${message}
            </li>`,
        )}
      </ul>
      <small
        >${[
          ...(verdict === "passed" ? ["still on the leaderboard"] : []),
          ...(review.length === 0 ? [] : [`${count(review.length, "finding", "findings")} in the source`]),
        ].join("; ")}</small
      >
    </td>
    <td>${board} <span class="target">${target}</span></td>
    <td>${account.name}</td>
    <td>${moment(flags[0]?.at ?? finishedAt)}</td>
  </tr>`;
}

function appealSection(appeals: ModerationQueue["appeals"], query: QueueQuery): Html {
  return html`<h2 id="appeals">Appeals</h2>
    ${
      appeals.length === 0
        ? html`<p class="empty">No open appeals.</p>`
        : table({
            className: "waiting stacked-rows",
            columns: ["Decision", "Appeal", "Account", "Decided by", "Appealed"],
            rows: appeals.map(
              (appeal) =>
                html`<tr>
                  <th scope="row">
                    <a href="${inQueue(`/moderation/decisions/${appeal.id}`, query)}" data-step
                      >${capital(formatDecision(appeal))}</a
                    >
                    <small class="block">${appeal.reason}</small>
                  </th>
                  <td>${appeal.appeal?.text}</td>
                  <td>${appeal.account.name}</td>
                  <td>${appeal.decidedBy.name}</td>
                  <td>${moment(appeal.appeal?.at ?? appeal.at)}</td>
                </tr>`,
            ),
          })
    }`;
}
