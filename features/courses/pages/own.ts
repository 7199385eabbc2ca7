/** A course as its students see it: the grading rules, their own deadlines and grades, and the form to enrol. */
import {
  breadcrumb,
  count,
  doneNotice,
  html,
  type Html,
  momentInBoth,
  page,
  problemNotice,
  right,
  setCrumbs,
  type SignedVisit,
  table,
} from "@kernelbot/web/blocks";
import { GUIDE } from "./guide.ts";
import { formatNs, formatRatio, type Competition } from "@kernelbot/core";
import { maximumPoints } from "../grade.ts";
import type { Assignment, GradeThreshold } from "../rules.ts";
import type { CourseStudent, OwnCourse, StudentAssignment } from "../messages.ts";

interface CoursePage extends OwnCourse {
  visit: SignedVisit;
  competition: Pick<Competition, "name" | "title">;
  done?: string | null | undefined;
  problem?: string | undefined;
  /** Address as typed into the form, if it was rejected. */
  email?: string | undefined;
}

export function coursePage(shown: CoursePage): Promise<string> {
  const { visit, competition, course, student, done = null, problem } = shown;
  const { name, title } = competition;
  return page({
    visit,
    guide: GUIDE,
    title: `Course: ${title}`,
    body: html`
      ${breadcrumb(setCrumbs({ name, title }))}
      <h1>Course: ${title}</h1>
      ${doneNotice(done)} ${problemNotice(problem)} ${student === null ? enrolment(shown) : enrolled(student)}
      <h2 id="assignments">Assignments</h2>
      ${
        course.assignments.length === 0
          ? html`<p class="empty">No assignments yet.</p>`
          : course.assignments.map((assignment) =>
              assignmentSection(
                assignment,
                student?.assignments.find(({ problem }) => problem === assignment.problem) ?? null,
              ),
            )
      }
    `,
  });
}

function enrolled({ name, email, totalPoints }: CourseStudent): Html {
  return html`<p class="lead">${name} (${email}): <strong>${count(totalPoints, "point", "points")}</strong></p>`;
}

function enrolment({ competition, course, email = "" }: CoursePage): Html {
  const at = `/competitions/${competition.name}/course`;
  return html`<p class="lead">You are not enrolled: your submissions are not graded yet.</p>
    <form method="post" action="${at}" class="stack">
      ${
        course.enrolment === "entered_email"
          ? html`<label for="email">Your e-mail address on the roster</label>
              <input id="email" name="email" type="email" maxlength="254" value="${email}" autocomplete="email" />`
          : html`<p>
              Enrolment requires that your account signs in with your e-mail address on the roster. If it does not yet,
              add the address to <a href="/account">your account</a> first.
            </p>`
      }
      <div><button>Enrol</button></div>
    </form>`;
}

function assignmentSection(assignment: Assignment, own: StudentAssignment | null): Html {
  const { problem, target, dueAt, lateDays, penaltyPerDay, counts } = assignment;
  const grade = own?.grade ?? null;
  return html`<section aria-labelledby="assignment-${problem}">
    <h3 id="assignment-${problem}"><a href="/boards/${problem}/${target}">${problem} on ${target}</a></h3>
    <p>
      Due ${momentInBoth(own?.dueAt ?? dueAt)}${own?.isExtended === true ? " (extended for you)" : ""}.
      ${
        lateDays === 0
          ? "Later submissions are refused."
          : `Accepted for ${count(lateDays, "more day", "more days")}; each started day costs ${percent(penaltyPerDay)} of the points.`
      }
      ${counts === "best" ? "The submission with the most points counts." : "The last correct submission counts."}
    </p>
    ${own === null ? null : gradeLine(own, maximumPoints(assignment))}
    ${table({
      caption: `Points of ${problem}`,
      columns: ["Result", right("Points")],
      rows: [
        pointsRow("correct", assignment.correctPoints),
        ...assignment.thresholds.map((threshold) => pointsRow(thresholdText(threshold), threshold.points)),
      ],
    })}
    ${
      grade === null
        ? null
        : html`<p>
            <small
              >Graded:
              <a href="/submissions/${grade.submission.submissionId}">submission ${grade.submission.submissionId}</a>,
              ${formatNs(grade.submission.timeNs)}${
                grade.submission.speedup === null ? "" : `, speedup ${formatRatio(grade.submission.speedup)}`
              }${grade.lateDays === 0 ? "" : `, ${count(grade.lateDays, "late day", "late days")}`}.</small
            >
          </p>`
    }
  </section>`;
}

function gradeLine({ grade, submissions }: StudentAssignment, maximum: number): Html {
  if (grade !== null) {
    return html`<p><strong>${grade.points} of ${count(maximum, "point", "points")}</strong></p>`;
  }
  return html`<p>
    <strong>No points yet:</strong> ${
      submissions === 0
        ? "you have not made a ranked submission."
        : `none of your ${count(submissions, "ranked submission", "ranked submissions")} counts.`
    }
  </p>`;
}

function pointsRow(result: string, points: number): Html {
  return html`<tr>
    <th scope="row">${result}</th>
    <td class="right">${points}</td>
  </tr>`;
}

/** Formats a threshold: `speedup of at least 2×`. */
function thresholdText(threshold: GradeThreshold): string {
  return "speedup" in threshold
    ? `speedup of at least ${threshold.speedup}×`
    : `runtime of at most ${threshold.timeMs} ms`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
