/** Learning platforms, the links of a course to them, and the state of its grades there. */
import { formatCount } from "@kernelbot/core";
import type { CourseLti, LtiAddresses, LtiPlatforms, NewLtiLink } from "../messages.ts";
import type { Style } from "@kernelbot/cli/src/output/style.ts";
import { oneLine } from "@kernelbot/cli/src/output/text.ts";
import { moment } from "@kernelbot/cli/src/render/format.ts";
import { table, type Column } from "@kernelbot/cli/src/render/table.ts";

export function platformLines({ addresses, platforms }: LtiPlatforms, width: number, style: Style): string[] {
  const rows = platforms.map(({ id, name, issuer, clientId, deployments }) => [
    ...[String(id), oneLine(name), oneLine(issuer), oneLine(clientId), oneLine(deployments.join(", "))],
  ]);
  const columns: readonly Column[] = [
    { title: "id" },
    { title: "name" },
    { title: "issuer", shrinks: true },
    { title: "client id" },
    { title: "deployments" },
  ];
  return [
    ...(rows.length === 0 ? ["No learning platforms are registered."] : table(columns, rows, width, style)),
    "",
    "Addresses to enter at a platform:",
    ...addressLines(addresses),
  ];
}

function addressLines({ launchUrl, deepLinkingUrl, loginUrl, jwksUrl }: LtiAddresses): string[] {
  return [
    `  Tool URL, redirection URI: ${launchUrl}`,
    `  Content selection URL:     ${deepLinkingUrl}`,
    `  Initiate login URL:        ${loginUrl}`,
    `  Public keyset URL:         ${jwksUrl}`,
  ];
}

export function newLinkLines({ id, problem, parameter, addresses }: NewLtiLink): string[] {
  return [
    `Link ${id} opens ${problem === null ? "the course" : `the assignment ${problem}`} from one activity. Enter there:`,
    `  Tool URL:          ${addresses.launchUrl}`,
    `  Custom parameters: ${parameter}`,
    "Where activities have no custom parameters, as in Canvas, enter as the URL of the activity:",
    `  ${addresses.launchUrl}?${parameter}`,
    "The parameter is shown only now.",
  ];
}

export function courseLtiLines(state: CourseLti, width: number, style: Style): string[] {
  const { links } = state;
  if (links.length === 0) return ["The course has no links to learning platforms; create one with --create."];
  const rows = links.map((link) => [
    String(link.id),
    link.problem ?? "whole course",
    link.platform === null
      ? link.launchedAt === null
        ? "not opened yet"
        : "removed platform"
      : oneLine(`${link.platform}: ${link.contextTitle ?? ""}`),
    link.launchedAt === null ? "" : moment(link.launchedAt),
    link.revokedAt !== null ? "revoked" : link.sendsGrades ? "sent" : "not sent",
  ]);
  const columns: readonly Column[] = [
    { title: "id" },
    { title: "for" },
    { title: "opened from", shrinks: true },
    { title: "last launch" },
    { title: "grades" },
  ];
  return [...table(columns, rows, width, style), "", ...gradeLines(state, width, style)];
}

/** Formats how many grades the platforms have accepted, and each that they have not. */
export function gradeLines({ sent, lastSentAt, queued, failed }: CourseLti, width: number, style: Style): string[] {
  const last = lastSentAt === null ? "" : ` (the last at ${moment(lastSentAt)})`;
  const summary = `${formatCount(sent, "grade")} accepted by the platform${last}, ${queued} queued, ${failed.length} failed.`;
  if (failed.length === 0) return [summary];
  const rows = failed.map(({ student, account, problem, points, tries, error, nextTryAt }) => [
    ...[oneLine(student ?? account), problem, String(points), String(tries), moment(nextTryAt), oneLine(error)],
  ]);
  const columns: readonly Column[] = [
    { title: "student" },
    { title: "assignment" },
    { title: "points", side: "right" },
    { title: "tries", side: "right" },
    { title: "next try" },
    { title: "error", shrinks: true },
  ];
  return [summary, ...table(columns, rows, width, style)];
}
