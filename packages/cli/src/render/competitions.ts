/** Competitions and their invite codes as tables. */
import {
  frozenUntil,
  limitsIn,
  formatLimit,
  formatTimeLeft,
  type Competition,
  type Invite,
  type InviteLink,
  type Team,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { listed, oneLine, wrap } from "../output/text.ts";
import { table } from "./table.ts";
import { moment } from "./format.ts";

/** Formats competitions with the remaining time. */
export function competitionsLines(
  competitions: readonly Competition[],
  now: Date,
  width: number,
  style: Style,
): string[] {
  if (competitions.length === 0) return ["There are no competitions."];
  const rows = competitions.map((each) => [each.name, oneLine(each.title), time(each, now), each.visibility]);
  return table(
    [{ title: "competition" }, { title: "title", shrinks: true }, { title: "time" }, { title: "visibility" }],
    rows,
    width,
    style,
  );
}

/** Formats the remaining time: `3 days left, boards frozen`. */
function time(competition: Competition, now: Date): string {
  return `${formatTimeLeft(competition, now)}${frozenUntil(competition, now) === null ? "" : ", boards frozen"}`;
}

const CODE: Record<Competition["codeVisibility"], string> = {
  after_end: "public after the end of the competition",
  always: "public",
  never: "visible to its author only",
};

/** Formats one competition in full. */
export function competitionLines(competition: Competition, now: Date, width: number, style: Style): string[] {
  const { title, name, description, startsAt, endsAt, visibility, codeVisibility, licence } = competition;
  return [
    `${style.bold(oneLine(title))} (${name}), ${visibility}: ${time(competition, now)}`,
    ...(description === "" ? [] : ["", ...description.split("\n").flatMap((line) => wrap(line, width)), ""]),
    `  ranked    from ${moment(startsAt)} until ${moment(endsAt)}`,
    ...freezeLines(competition, now),
    ...problemsLines(competition),
    `  code      ${CODE[codeVisibility]}`,
    ...(licence === null ? [] : [`  licence   ranked submissions may be published under ${licence}`]),
    ...(competition.participants === "everyone" ? [] : ["  entry     members only, by invite or group"]),
    ...(competition.groups.length === 0 ? [] : [`  groups    ${competition.groups.map(oneLine).join(", ")}`]),
    ...(competition.names === "accounts" ? [] : ["  names     leaderboards show pseudonyms"]),
    ...limitLines(competition),
    ...(competition.teamSize === 1 ? [] : [`  teams     up to ${competition.teamSize} members`]),
    `  organised by ${listed(competition.organisers.map((each) => oneLine(each.name)))}`,
  ];
}

function freezeLines({ freezeAt, revealAt, endsAt }: Competition, now: Date): string[] {
  if (freezeAt === null) return [];
  const isFrozen = frozenUntil({ freezeAt, revealAt, endsAt }, now) !== null;
  const hidden = `submissions after ${moment(freezeAt)} are hidden until ${moment(revealAt ?? endsAt)}`;
  return [`  frozen    ${isFrozen ? "now: " : ""}${hidden}`];
}

/** Formats the problems; a problem with its own targets, deadline or limits gets a line of its own. */
function problemsLines({ problems, targets }: Competition): string[] {
  if (problems.length === 0) return ["  problems  none yet"];
  const everywhere = targets === null ? "" : ` on ${listed(targets)}`;
  const own = problems.filter(
    ({ targets, endsAt, limits }) => targets !== null || endsAt !== null || limits !== undefined,
  );
  return [
    `  problems  ${listed(problems.map(({ name }) => name))}${everywhere}`,
    ...own.map((problem) => {
      const on = problem.targets === null ? "" : ` on ${listed(problem.targets)}`;
      const until = problem.endsAt === null ? "" : ` until ${moment(problem.endsAt)}`;
      const limits = problem.limits === undefined ? "" : `: ${listed(limitsIn(problem.limits).map(formatLimit))}`;
      return `            ${problem.name}${on}${until}${limits}`;
    }),
  ];
}

function limitLines({ limits }: Competition): string[] {
  const each = limitsIn(limits).map(formatLimit);
  return each.length === 0 ? [] : [`  limits    ${listed(each)} for each account`];
}

/** Formats the teams of a competition; the caller's own team with its code. */
export function teamLines(teams: readonly Team[], width: number, style: Style): string[] {
  if (teams.length === 0) return ["There are no teams."];
  const rows = teams.map(({ name, members, code }) => [
    oneLine(name),
    members.map((each) => oneLine(each.name)).join(", "),
    code === null ? "" : style.bold(code),
  ]);
  return table([{ title: "team" }, { title: "members", shrinks: true }, { title: "join code" }], rows, width, style);
}

/** Formats invite codes with the claiming account and time. */
export function inviteLines(invites: readonly Invite[], width: number, style: Style): string[] {
  if (invites.length === 0) return ["There are no invite codes."];
  const rows = invites.map(({ code, claimedBy, claimedAt, revokedAt }) => [
    code,
    claimedBy === null ? "" : oneLine(claimedBy.name),
    claimedAt === null ? "" : moment(claimedAt),
    revokedAt === null ? "" : style.yellow(`revoked ${moment(revokedAt)}`),
  ]);
  return table(
    [{ title: "code" }, { title: "claimed by", shrinks: true }, { title: "claimed" }, { title: "" }],
    rows,
    width,
    style,
  );
}

/** Formats invite links, each followed by the accounts that joined by it. */
export function inviteLinkLines(links: readonly InviteLink[], width: number, style: Style): string[] {
  if (links.length === 0) return ["There are no invite links."];
  const rows = links.flatMap(({ id, maxUses, expiresAt, revokedAt, uses }) => [
    [
      style.bold(`link ${id}`),
      `${uses.length} of ${maxUses} joined`,
      revokedAt === null ? `expires ${moment(expiresAt)}` : style.yellow(`revoked ${moment(revokedAt)}`),
    ],
    ...uses.map(({ account, at, registered }) => [
      "",
      oneLine(account.name),
      `${moment(at)}${registered ? "" : ", with an existing account"}`,
    ]),
  ]);
  return table([{ title: "" }, { title: "account", shrinks: true }, { title: "" }], rows, width, style);
}
