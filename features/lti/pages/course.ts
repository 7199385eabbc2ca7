/** Admin page of a course at learning platforms: the links that open it, and the state of its grades there. */
import {
  adminPage,
  button,
  count,
  hiddenHeading,
  html,
  type Html,
  moment,
  option,
  type Outcome,
  right,
  type SignedVisit,
  table,
} from "@kernelbot/web/blocks";
import type { Competition } from "@kernelbot/core";
import type { CourseLti, LtiFailedScore, LtiLink } from "../messages.ts";

/** A link that was just created, with its secret. */
export interface NewCourseLink {
  problem: string | null;
  launchUrl: string;
  /** `kernelbot=SECRET` */
  parameter: string;
}

interface AdminCourseLtiPage {
  visit: SignedVisit;
  competition: Pick<Competition, "name" | "title">;
  /** Names of the registered platforms. */
  platforms: readonly string[];
  state: CourseLti;
  /** Problems of the assignments. */
  problems: readonly string[];
  created?: NewCourseLink | undefined;
  outcome: Outcome;
}

export function adminCourseLtiPage(shown: AdminCourseLtiPage): Promise<string> {
  const { visit, competition, platforms, created, outcome } = shown;
  const { name, title } = competition;
  return adminPage({
    visit,
    guide: "/docs/guides/connect-a-course-to-moodle-or-canvas",
    title: `Learning platforms of ${title}`,
    above: [
      ["Competitions", "/admin/competitions"],
      [title, `/admin/competitions/${name}`],
      ["Course", `/admin/competitions/${name}/course`],
    ],
    outcome,
    body: html`${created === undefined ? null : newLink(created)}
      <p>
        ${platforms.length === 0 ? "No learning platform is registered." : `Registered: ${platforms.join(", ")}.`}
        ${
          visit.viewer.roles.includes("administrator")
            ? html`<a href="/admin/learning-platforms">Register learning platforms</a>.`
            : "An administrator of this server registers others."
        }
        <a href="/docs/guides/connect-a-course-to-moodle-or-canvas">Moodle and Canvas, step by step</a>
      </p>
      ${grades(shown)} ${links(shown)}`,
  });
}

function newLink({ problem, launchUrl, parameter }: NewCourseLink): Html {
  return html`<section class="created" role="status" aria-label="New link">
    <p>
      <strong>The link opens ${problem === null ? "the course" : html`the assignment ${problem}`}</strong> from one
      activity. Its secret is shown only once. Enter the tool URL <code>${launchUrl}</code> and, as a custom parameter
      of the activity:
    </p>
    <pre><code id="parameter">${parameter}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="parameter">Copy</button>
    <p>Where activities have no custom parameters, as in Canvas, enter as the URL of the activity:</p>
    <pre><code id="activity-url">${launchUrl}?${parameter}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="activity-url">Copy</button>
  </section>`;
}

function grades({ competition, state: { sent, lastSentAt, queued, failed, links } }: AdminCourseLtiPage): Html | null {
  if (links.length === 0) return null;
  return html`<h2 id="grades">Grades</h2>
    <p>
      ${count(sent, "grade", "grades")} accepted by the
      platform${lastSentAt === null ? null : html`, the last one sent at ${moment(lastSentAt)}`}; ${queued} queued,
      ${failed.length} failed. Changed grades are sent within a minute, and failed ones are tried again.
    </p>
    ${button(`/admin/competitions/${competition.name}/course/lti/send`, "Send grades now", {}, true)}
    ${
      failed.length === 0
        ? null
        : table({
            className: "stacked-rows",
            labelledBy: "grades",
            columns: ["Student", "Assignment", right("Points"), "Tries", "Error"],
            rows: failed.map(failedRow),
          })
    }`;
}

function failedRow({ student, account, problem, points, tries, nextTryAt, error }: LtiFailedScore): Html {
  return html`<tr>
    <th scope="row">${student ?? account}</th>
    <td>${problem}</td>
    <td class="right">${count(points, "point", "points")}</td>
    <td>${count(tries, "try", "tries")}, next at ${moment(nextTryAt)}</td>
    <td>not accepted: ${error}</td>
  </tr>`;
}

function links({ competition, state, problems }: AdminCourseLtiPage): Html {
  const at = `/admin/competitions/${competition.name}/course/lti`;
  return html`<h2 id="links">Links</h2>
    ${
      state.links.length === 0
        ? html`<p class="empty">No links yet. Each activity of a platform that opens the course needs one.</p>`
        : table({
            className: "stacked-rows",
            labelledBy: "links",
            columns: ["Opens", "Opened from", "Last opened", "Grades", hiddenHeading("Change")],
            rows: state.links.map((link) => linkRow(link, at)),
          })
    }
    <form method="post" action="${at}" class="stack">
      <label for="problem">Create a link for an activity of</label>
      <select id="problem" name="problem">
        ${option("", null, "the whole course, with a grade column for each assignment")}
        ${problems.map((problem) => option(problem, null, `the assignment ${problem}`))}
      </select>
      <div><button>Create a link</button></div>
    </form>`;
}

function linkRow(
  { id, problem, platform, contextTitle, launchedAt, revokedAt, sendsGrades }: LtiLink,
  at: string,
): Html {
  return html`<tr>
    <th scope="row">${problem ?? "whole course"} <small>link ${id}</small></th>
    <td>
      ${
        platform === null
          ? html`<span class="quiet">${launchedAt === null ? "not opened yet" : "from a removed platform"}</span>`
          : `from ${[platform, ...(contextTitle === null ? [] : [contextTitle])].join(": ")}`
      }
    </td>
    <td>${launchedAt === null ? null : html`opened ${moment(launchedAt)}`}</td>
    <td>
      ${revokedAt !== null ? "revoked" : sendsGrades ? "grades sent" : platform === null ? null : "grades not allowed by the platform"}
    </td>
    <td>${revokedAt === null ? button(`${at}/revoke`, "Revoke", { id: String(id) }, true) : null}</td>
  </tr>`;
}
