/** Notice that no runner can take the runs of a target at once. */
import { canRun, formatAvailability, type TargetAvailability } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { capital } from "../layout/format.ts";

/** Renders why queued runs of a target do not start at once; null if a runner is online. */
export function runnerNotice(
  target: string,
  runners: Omit<TargetAvailability, "online"> | null,
  now: Date,
): Html | null {
  const sentence = runners === null ? null : formatAvailability(target, runners, now);
  if (runners === null || sentence === null) return null;
  return html`<p class="notice ${canRun(runners) ? "" : "care"}">
    ${capital(sentence)}. ${canRun(runners) ? null : staysQueued(runners)}
    <a href="/queue#queue-${target}">Runners and queue</a>
  </p>`;
}

/** Says until when submissions stay queued. */
export function staysQueued({ status }: Pick<TargetAvailability, "status">): string {
  return `Submissions stay queued until a runner ${status === "paused" ? "is resumed" : "connects"}.`;
}
