/** What learning platforms add to the admin page of a course. */
import { button, count, html, type Html } from "@kernelbot/web/blocks";
import type { LtiRosterResult } from "../messages.ts";

/** Renders what was taken over from learning platforms, and what could not be. */
export function importedRoster({ added, updated, unchanged, others, rejected, missing }: LtiRosterResult): Html {
  return html`<section class="created" role="status" aria-label="Members of the platform">
    <p>
      <strong>${count(added, "student", "students")} added, ${updated} updated, ${unchanged} unchanged</strong>.
      ${count(others, "other member", "other members")} of the platform, such as teachers, left out.
    </p>
    ${
      rejected.length === 0
        ? null
        : html`<p>Not imported:</p>
            <ul>
              ${rejected.map(({ member, reason }) => html`<li>${member}: ${reason}</li>`)}
            </ul>`
    }
    ${
      missing.length === 0
        ? null
        : html`<p>
              On the roster, but not an active student at the platform. They remain until you remove them in the list
              below:
            </p>
            <ul>
              ${missing.map((email) => html`<li>${email}</li>`)}
            </ul>`
    }
  </section>`;
}

/** Renders the button that takes over the members of courses of platforms, named as `PLATFORM: TITLE`. */
export function platformRoster(competition: string, courses: readonly string[]): Html | null {
  if (courses.length === 0) return null;
  return html`<p>Take over the students of ${courses.join(", ")}. Students that left there remain on the roster.</p>
    ${button(`/admin/competitions/${competition}/course/platform-roster`, "Take over the students", {}, true)}`;
}
