/** Pages on which a teacher chooses what a new activity of a learning platform opens (LTI Deep Linking). */
import {
  button,
  count,
  hiddenHeading,
  html,
  type Html,
  moment,
  page,
  problemNotice,
  right,
  type SignedVisit,
  table,
  type Visit,
} from "@kernelbot/web/blocks";
import { maximumPoints } from "../../courses/grade.ts";
import type { Course } from "../../courses/messages.ts";

export interface DeepLinkPage {
  visit: SignedVisit;
  path: string;
  platform: string;
  /** Title of the platform's course, where it sends one. */
  contextTitle: string | null;
  /** Courses that the account organises. */
  courses: readonly { title: string; course: Course }[];
  problem?: string | undefined;
}

export function deepLinkPage({ visit, path, platform, contextTitle, courses, problem }: DeepLinkPage): Promise<string> {
  return page({
    title: "Add an activity",
    visit,
    body: html`
      <h1>Add an activity</h1>
      <p>
        Choose what the new activity in
        ${platform}${contextTitle === null ? null : html` (<strong>${contextTitle}</strong>)`} opens. Its users can then
        join the course. Continue only if you are adding an activity there yourself.
      </p>
      ${problemNotice(problem)}
      ${
        courses.length === 0
          ? html`<p class="empty">
              ${visit.viewer.name} does not organise a course. <a href="/docs/guides/run-a-course">Create one</a>, or
              ask its organiser to add you to the competition.
            </p>`
          : courses.map((each) => courseChoice(each, path))
      }
    `,
  });
}

function courseChoice(
  { title, course: { competition, assignments } }: DeepLinkPage["courses"][number],
  path: string,
): Html {
  const heading = `course-${competition}`;
  const choose = (label: Html | string, problem: string) => button(path, label, { competition, problem }, true);
  return html`<h2 id="${heading}">${title}</h2>
    ${table({
      className: "stacked-rows",
      labelledBy: heading,
      columns: ["Activity", "Due", right("Points"), hiddenHeading("Choose")],
      rows: [
        ...assignments.map(
          (each) =>
            html`<tr>
              <th scope="row">${each.problem} on ${each.target}</th>
              <td>due ${moment(each.dueAt)}</td>
              <td class="right">${count(maximumPoints(each), "point", "points")}</td>
              <td>${choose(html`Add<span class="visually-hidden"> ${each.problem}</span>`, each.problem)}</td>
            </tr>`,
        ),
        html`<tr>
          <th scope="row">the whole course, with a grade column for each assignment</th>
          <td></td>
          <td></td>
          <td>${choose(html`Add<span class="visually-hidden"> the whole course</span>`, "")}</td>
        </tr>`,
      ],
    })}`;
}

/** Renders what the window shows after a choice that a frame of the platform returns. */
export function deepLinkChosenPage({ visit, platform }: { visit: Visit; platform: string }): Promise<string> {
  return page({
    title: "Chosen",
    visit,
    body: html`<h1>Chosen</h1>
      <p>Close this window, and continue in ${platform}.</p>`,
  });
}

/** Renders the frame of the platform, which waits for the choice in a window of its own. */
export function deepLinkWaitingPage({
  visit,
  path,
  platform,
}: {
  visit: Visit;
  path: string;
  platform: string;
}): Promise<string> {
  return page({
    title: "Add an activity",
    visit,
    islands: ["frame"],
    body: html`<h1>Add an activity</h1>
      <p>Browsers do not keep you signed in inside another site, so you choose the activity in a window of its own.</p>
      <p><a class="button" href="${path}" target="_blank" rel="noopener">Choose the activity in a new window</a></p>
      <p>Then come back here: <a href="${path}/response" data-reload-when-visible>continue in ${platform}</a>.</p>`,
  });
}

/** Renders the form that returns the choice to the platform, which a script posts at once. */
export function deepLinkResponsePage({
  visit,
  returnUrl,
  token,
}: {
  visit: Visit;
  returnUrl: string;
  token: string;
}): Promise<string> {
  return page({
    title: "Add the activity",
    visit,
    islands: ["frame"],
    body: html`<h1>Add the activity</h1>
      <form method="post" action="${returnUrl}" class="buttons" data-post-at-once>
        <input type="hidden" name="JWT" value="${token}" />
        <button>Continue</button>
      </form>`,
  });
}
