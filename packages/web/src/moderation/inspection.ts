/** Page of a run for a moderator's decision: evidence on the left, actions on the right. */
import {
  isAppealable,
  type AccountHistory,
  type Decision,
  type Flag,
  type Inspection,
  type Submission,
} from "@kernelbot/core";
import { cases } from "../results/cases.ts";
import { doneNotice, problemNotice } from "../layout/forms.ts";
import { breadcrumb } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { samples } from "../results/samples.ts";
import { sourceDiff } from "../comparison/source-diff.ts";
import { count, moment, runStatus } from "../layout/format.ts";
import { decisionForm, otherActions } from "./actions.ts";
import { findings } from "./review-findings.ts";
import type { InspectionPage } from "./inspection-page-data.ts";
import { expectedRank } from "./expected-rank.ts";
import { inQueue, KINDS, type QueueQuery } from "./queue.ts";
import { decisionList } from "./decision-list.ts";
import { fact, right, hiddenHeading, table } from "../layout/table.ts";

export async function inspectionPage(shown: InspectionPage): Promise<string> {
  const { visit, inspection, submission, source, history, query, done = null, problem } = shown;
  const { run, flags, similar } = inspection;
  const entry = submission.runs.find(({ target, rerun }) => target === run.target && rerun === 0);
  const about = history.decisions.filter(({ runId, submissionId }) =>
    runId === null ? submissionId === submission.id : runId === entry?.id,
  );
  const found = await findings(run.review, source, submission);
  // The reason for quarantine is also the run's message.
  const message = flags.some(({ message }) => message === run.message) ? null : run.message;
  return page({
    visit,
    title: `Run ${run.id}`,
    islands: ["keyboard"],
    body: html`
      ${breadcrumb(
        [["Moderation", inQueue("/moderation", query)]],
        shown.waiting === null ? null : queuePosition(shown.waiting, query),
      )}
      <h1>Run ${run.id} <span class="target">${run.board} on ${run.target}</span></h1>
      ${doneNotice(done)} ${problemNotice(problem)}
      <div class="two-columns inspection">
        <div>
          ${rerunNote(run.rerun, entry?.id, query)} ${flagSection(flags, query)}
          ${message === null ? null : html`<p class="message">${message}</p>`} ${appealNote(about, query)}
          ${shown.expectedRank === null ? null : expectedRank(shown.expectedRank, history.account.name)} ${found}
          ${similarSources(similar, submission.id)}
          ${run.stages.some((stage) => stage.cases.length > 0) ? html`<h2 id="cases">Cases</h2>` : null}
          ${run.stages.map((stage) => (stage.cases.length === 0 ? null : html`${cases(stage)} ${samples(stage)}`))}
          ${
            about.length === 0
              ? null
              : html`<h2 id="decisions">Earlier decisions</h2>
                  ${decisionList(about)}`
          }
        </div>
        <aside aria-label="Decide">
          ${decisionForm(shown)} ${facts(shown)} ${account(history)} ${otherActions(shown)}
        </aside>
      </div>
    `,
  });
}

/**
 * Renders the position in the queue and a link to the next run, for skipping runs that another moderator should decide.
 */
function queuePosition({ at, of, next }: NonNullable<InspectionPage["waiting"]>, query: QueueQuery): Html {
  return html`· ${at} of ${of} in the queue
  ${
    next === null
      ? null
      : html`· <a href="${inQueue(`/moderation/runs/${next}`, query)}" data-key="n">next: run ${next}</a>`
  }`;
}

function rerunNote(rerun: number, entry: number | undefined, query: QueueQuery): Html | null {
  if (rerun === 0 || entry === undefined) return null;
  return html`<p class="notice">
    This is re-run ${rerun} of <a href="${inQueue(`/moderation/runs/${entry}`, query)}">run ${entry}</a>, the run that
    the leaderboard entry is based on. Decisions apply to that run.
  </p>`;
}

function flagSection(flags: readonly Flag[], query: QueueQuery): Html {
  return html`<section aria-labelledby="against">
    <h2 id="against">Flags</h2>
    ${
      flags.length === 0
        ? html`<p class="empty">No open flags.</p>`
        : html`<ul class="plain flags">
            ${flags.map(
              ({ check, by, message, at, evidenceRunId }) =>
                html`<li>
                  <p>
                    <span class="badge care">${KINDS[check]}</span>
                    <small>${by === null ? null : html`${by.name}, `}${moment(at)}</small>
                  </p>
                  <p class="message">${message}</p>
                  ${
                    evidenceRunId === null
                      ? null
                      : html`<p>
                          Evidence:
                          <a href="${inQueue(`/moderation/runs/${evidenceRunId}`, query)}">run ${evidenceRunId}</a>
                        </p>`
                  }
                </li>`,
            )}
          </ul>`
    }
  </section>`;
}

/** Renders a notice of an open appeal, which has its own page; null if there is none. */
function appealNote(decisions: readonly Decision[], query: QueueQuery): Html | null {
  const open = decisions.find(({ act, appeal, answer }) => isAppealable(act) && appeal !== null && answer === null);
  if (open === undefined) return null;
  return html`<p class="notice">
    Open appeal: <a href="${inQueue(`/moderation/decisions/${open.id}`, query)}">read and answer it</a>.
  </p>`;
}

function similarSources(similar: Inspection["similar"], inspected: number): Html {
  const diff = similar?.[0]?.diff;
  return html`<section aria-labelledby="similar">
    <h2 id="similar">Most similar sources</h2>
    ${
      similar === null
        ? html`<p class="empty">Not compared: the comparison failed, or took too long. Reload to try again.</p>`
        : similar.length === 0
          ? html`<p class="empty">No similar submissions by other accounts to this problem.</p>`
          : table({
              className: "stacked-rows",
              columns: [right("Similarity"), "Submission", "Account", "Submitted", hiddenHeading("Compare")],
              rows: similar.map(
                ({ submissionId, account, fileName, earlier, similarity }) =>
                  html`<tr>
                    <td class="right number">${(100 * similarity).toFixed(0)} %</td>
                    <th scope="row"><a href="/submissions/${submissionId}">${submissionId}</a> ${fileName}</th>
                    <td>${account.name}</td>
                    <td>${earlier ? "earlier" : "later"}</td>
                    <td>
                      <a href="/compare/${submissionId}/${inspected}"
                        >Compare<span class="visually-hidden"> ${submissionId} with ${inspected}</span></a
                      >
                    </td>
                  </tr>`,
              ),
            })
    }
    ${
      diff == null
        ? null
        : html`<details open>
            <summary>Diff from the most similar submission to this one</summary>
            ${sourceDiff(diff, { a: String(similar?.[0]?.submissionId), b: String(inspected) })}
          </details>`
    }
  </section>`;
}

function facts({ inspection: { run }, submission, query }: InspectionPage): Html {
  return html`<h2>Run</h2>
    <dl class="facts">
      ${fact("Submission", html`<a href="/submissions/${submission.id}">${submission.id}</a>, ${submission.fileName}`)}
      ${fact("Status", html`${runStatus(run).label}${submission.removed === null ? null : ", submission removed"}`)}
      ${fact("Submitted", moment(submission.createdAt))}
      ${fact("Author", html`${submission.author.kind}${submission.author.model === null ? null : `, ${submission.author.model}`}`)}
      ${runsOf(submission, run.id, query)}
      ${
        run.machine === null
          ? null
          : fact(
              "Machine",
              html`${run.machine.accelerators[0]?.model ?? run.machine.cpu.model}, ${run.machine.hostname}`,
            )
      }
    </dl>`;
}

/** Renders the other runs of the submission, including re-runs; null if there are none. */
function runsOf({ runs }: Submission, shown: number, query: QueueQuery): Html | null {
  const others = runs.filter(({ id }) => id !== shown);
  if (others.length === 0) return null;
  return html`<dt>Other runs</dt>
    <dd>
      ${others.map(
        (run) =>
          html`<span class="block"
            ><a href="${inQueue(`/moderation/runs/${run.id}`, query)}">${run.id}</a> on
            ${run.target}${run.rerun === 0 ? null : `, re-run ${run.rerun}`}:
            ${runStatus(run).label.toLowerCase()}</span
          >`,
      )}
    </dd>`;
}

function account({ account, roles, createdAt, ban, submissions, ranked, waiting, decisions }: AccountHistory): Html {
  const against = decisions.filter(({ act }) => isAppealable(act)).length;
  return html`<h2>${account.name}</h2>
    <dl class="facts">
      ${fact("Account created", moment(createdAt))} ${roles.length === 0 ? null : fact("Roles", roles.join(", "))}
      ${fact("Submissions", html`${submissions.toLocaleString("en-US")}, ${ranked} ranked`)}
      ${fact("Flagged", count(waiting, "run", "runs"))} ${fact("Adverse decisions", against === 0 ? "none" : against)}
      ${
        ban === null
          ? null
          : html`<dt>Banned</dt>
              <dd class="bad">${moment(ban.at)}: ${ban.reason}</dd>`
      }
    </dl>
    ${
      decisions.length === 0
        ? null
        : html`<details>
            <summary>All decisions about this account</summary>
            ${decisionList(decisions)}
          </details>`
    }`;
}
