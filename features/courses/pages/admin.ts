/** Admin page of a course: the roster with submissions and grades, and the forms that change it. */
import {
  adminPage,
  button,
  capital,
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
import { GUIDE } from "./guide.ts";
import { formatCourse } from "../rules.ts";
import { maximumPoints } from "../grade.ts";
import {
  STUDENT_STATES,
  studentState,
  type Course,
  type CourseStudent,
  type StudentAssignment,
  type StudentState,
} from "../messages.ts";
import type { Competition } from "@kernelbot/core";

/** Where students come from besides the roster that is uploaded, such as learning platforms. */
export interface StudentSourceLink {
  name: string;
  /** Name of its page below that of the course. */
  path: string;
  /** What it adds to the section of the roster. */
  roster: Html | null;
}

interface AdminCoursePage {
  visit: SignedVisit;
  competition: Pick<Competition, "name" | "title">;
  /** Null while the competition is not a course. */
  course: Course | null;
  students: readonly CourseStudent[];
  /** Lists only students in this state in at least one assignment; undefined for all. */
  state?: StudentState | undefined;
  /** Where students come from besides the roster that is uploaded. */
  sources: readonly StudentSourceLink[];
  /** Result of a form of such a source. */
  notice?: Html | undefined;
  /** Course file or roster as typed into a form that was rejected. */
  typed?: { settings?: string | null; csv?: string | null } | undefined;
  outcome?: Outcome;
}

export function adminCoursePage(shown: AdminCoursePage): Promise<string> {
  const { visit, competition, course, outcome } = shown;
  return adminPage({
    visit,
    guide: GUIDE,
    title: `Course: ${competition.title}`,
    above: [
      ["Competitions", "/admin/competitions"],
      [competition.title, `/admin/competitions/${competition.name}`],
    ],
    ...(outcome && { outcome }),
    body:
      course === null
        ? settings(shown)
        : html`${shown.notice ?? null} ${studentsSection(shown, course)} ${roster(shown)} ${settings(shown)}`,
  });
}

function studentsSection({ competition, students, state, sources }: AdminCoursePage, course: Course): Html {
  const at = `/admin/competitions/${competition.name}/course`;
  const links = sources.map(({ name, path }) => html`<a href="${at}/${path}">${name}</a>`);
  const inState = (value: StudentState) => students.filter((student) => isIn(student, value));
  const shown = state === undefined ? students : inState(state);
  const tab = (value: StudentState | undefined, number: number): Html =>
    html`<li>
      <a
        href="${at}${value === undefined ? "" : `?state=${encodeURIComponent(value)}`}#students"
        ${value === state ? html`aria-current="page"` : null}
        >${value === undefined ? "All" : capital(value)} <span class="number quiet">${number}</span></a
      >
    </li>`;
  if (students.length === 0)
    return html`<h2 id="students">Students</h2>
      <p class="empty">
        The roster is empty. Upload it
        below${links.map((link) => html`, or let students open the course from ${link}`)}.
      </p>`;
  return html`<h2 id="students">Students</h2>
    <ul class="tabs">
      ${tab(undefined, students.length)} ${STUDENT_STATES.map((value) => tab(value, inState(value).length))}
    </ul>
    <p>
      <a href="${at}/grades.csv" download>Download the grades as CSV</a>. ${links.map((link) => html`${link}. `)}
      ${
        course.assignments.length === 0
          ? null
          : html`Similar submissions:
            ${course.assignments.map(
              ({ problem }, index) => html`${index === 0 ? "" : ", "}<a href="${at}/similar/${problem}">${problem}</a>`,
            )}.`
      }
    </p>
    ${
      shown.length === 0
        ? html`<p class="empty">No students in this state.</p>`
        : table({
            className: "stacked-rows",
            labelledBy: "students",
            columns: [
              "Student",
              "Group",
              "Account",
              ...course.assignments.map((assignment) =>
                right(`${assignment.problem}, of ${maximumPoints(assignment)}`),
              ),
              right("Total"),
              hiddenHeading("Change"),
            ],
            rows: shown.map((student) => studentRow(student, course, at)),
          })
    }`;
}

/** Returns whether a student is in a state in at least one assignment. */
function isIn(student: CourseStudent, state: StudentState): boolean {
  if (student.assignments.length === 0) return state === "not enrolled" && student.account === null;
  return student.assignments.some((each) => studentState(student, each) === state);
}

function studentRow(student: CourseStudent, course: Course, at: string): Html {
  const { name, email, group, account, enrolledBy, assignments, totalPoints } = student;
  return html`<tr>
    <th scope="row">${name}<br /><small>${email}</small></th>
    <td>${group}</td>
    <td>
      ${
        account === null
          ? html`<span class="quiet">not enrolled</span>`
          : html`<a href="/people/${account.id}">${account.name}</a>${
                enrolledBy === "entered_email" ? html`<br /><small>entered the address</small>` : null
              }`
      }
    </td>
    ${assignments.map((each) => html`<td class="right">${gradeCell(student, each)}</td>`)}
    <td class="right">${totalPoints}</td>
    <td>
      <details>
        <summary>Change<span class="visually-hidden"> ${name}</span></summary>
        ${course.assignments.length === 0 ? null : extensionForm(student, at)}
        ${account === null ? null : button(`${at}/release`, "Release the account", { email }, true)}
        ${button(`${at}/remove`, "Remove from the roster", { email }, true)}
      </details>
    </td>
  </tr>`;
}

function gradeCell(student: CourseStudent, each: StudentAssignment): Html {
  const { grade, isExtended, dueAt } = each;
  const late =
    grade === null || grade.lateDays === 0
      ? null
      : html`<br /><small>${count(grade.lateDays, "day", "days")} late</small>`;
  const extended = isExtended ? html`<br /><small>until ${moment(dueAt)}</small>` : null;
  if (grade === null) return html`<span class="quiet">${studentState(student, each)}</span>${extended}`;
  return html`<a href="/submissions/${grade.submission.submissionId}">${grade.points}</a>${late}${extended}`;
}

function extensionForm({ email, assignments, name }: CourseStudent, at: string): Html {
  const id = (field: string) => `${field}-${email}`;
  return html`<form method="post" action="${at}/extensions" class="stack">
    <input type="hidden" name="email" value="${email}" />
    <label for="${id("problem")}">Assignment<span class="visually-hidden"> of ${name}</span></label>
    <select id="${id("problem")}" name="problem">
      ${assignments.map(({ problem }) => option(problem, null))}
    </select>
    <label for="${id("until")}">Extended deadline (UTC); empty for that of the class</label>
    <input id="${id("until")}" name="until" type="datetime-local" />
    <div><button class="quiet">Set the deadline</button></div>
  </form>`;
}

function roster({ competition, sources, typed }: AdminCoursePage): Html {
  return html`<h2 id="roster">Roster</h2>
    <p>
      Send the class <a href="/admin/competitions/${competition.name}/invites#links">one invite link</a>. Members who
      sign in with an address of the roster are enrolled when they join.
    </p>
    ${sources.map((source) => source.roster)}
    <form method="post" action="/admin/competitions/${competition.name}/course/roster" class="stack">
      <label for="csv">CSV whose first line names the columns name, email and, optionally, group</label>
      <textarea id="csv" name="csv" rows="8" required spellcheck="false" placeholder="name,email,group">
${typed?.csv ?? ""}</textarea>
      <p><small>Students are added, and updated by their address. Students that are missing here remain.</small></p>
      <div><button>Upload the roster</button></div>
    </form> `;
}

function settings({ competition, course, typed }: AdminCoursePage): Html {
  return html`<h2 id="settings">Assignments and grading rules</h2>
    ${
      course === null
        ? html`<p>This competition is not a course yet. Its course file makes it one.</p>`
        : table({
            className: "stacked-rows",
            columns: ["Assignment", "Due", "Late days", right("Points")],
            rows: course.assignments.map(
              (each) =>
                html`<tr>
                  <th scope="row">
                    <a href="/boards/${each.problem}/${each.target}">${each.problem} on ${each.target}</a>
                  </th>
                  <td>${moment(each.dueAt)}</td>
                  <td>${each.lateDays}</td>
                  <td class="right">${maximumPoints(each)}</td>
                </tr>`,
            ),
          })
    }
    <form method="post" action="/admin/competitions/${competition.name}/course" class="stack">
      <label for="settings-file"
        ><a href="/docs/reference/course-file">Course file</a> (YAML), which replaces these settings</label
      >
      <textarea id="settings-file" name="settings" rows="12" required spellcheck="false">
${typed?.settings ?? (course === null ? example(competition.name) : formatCourse(course))}</textarea>
      <div><button>Save the settings</button></div>
    </form>`;
}

function example(competition: string): string {
  return `competition: ${competition}
enrolment: verified_email
assignments:
  - problem: NAME
    target: TARGET
    due_at: 2026-11-01T22:00:00Z
    correct_points: 40
    thresholds: [{ speedup: 1.5, points: 70 }, { speedup: 3, points: 100 }]
    late_days: 3
    penalty_per_day: 0.1
`;
}
