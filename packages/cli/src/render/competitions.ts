/** Competitions and their invite codes as tables. */
import { timeLeft, type Competition, type Invite, type Team } from "@kernelbot/core";
import type { Style } from "../style.ts";
import { listed, oneLine, wrap } from "../text.ts";
import { table } from "./table.ts";
import { moment } from "./words.ts";

/** What there is, with the time that is left. */
export function competitionsLines(
  competitions: readonly Competition[],
  now: Date,
  width: number,
  style: Style,
): string[] {
  if (competitions.length === 0) return ["There are no competitions."];
  const rows = competitions.map((each) => [each.name, oneLine(each.title), timeLeft(each, now), each.visibility]);
  return table(
    [{ title: "competition" }, { title: "title", shrinks: true }, { title: "time" }, { title: "visibility" }],
    rows,
    width,
    style,
  );
}

const CODE: Record<Competition["codeVisibility"], string> = {
  after_end: "everybody may read it once the competition has ended",
  always: "everybody may read it",
  never: "its author's alone",
};

/** One competition whole. */
export function competitionLines(competition: Competition, now: Date, width: number, style: Style): string[] {
  const { title, name, description, startsAt, endsAt, visibility, codeVisibility, licence } = competition;
  return [
    `${style.bold(oneLine(title))} (${name}), ${visibility}: ${timeLeft(competition, now)}`,
    ...(description === "" ? [] : ["", ...description.split("\n").flatMap((line) => wrap(line, width)), ""]),
    `  ranked    from ${moment(startsAt)} until ${moment(endsAt)}`,
    `  problems  ${listedOr(
      competition.problems.map((problem) => problem.name),
      "none yet",
    )}`,
    `  code      ${CODE[codeVisibility]}`,
    ...(licence === null ? [] : [`  licence   ranked submissions may be published under ${licence}`]),
    ...(competition.teamSize === 1 ? [] : [`  teams     of up to ${competition.teamSize}`]),
    `  organised by ${listed(competition.organisers.map((each) => oneLine(each.name)))}`,
  ];
}

function listedOr(names: readonly string[], none: string): string {
  return names.length === 0 ? none : listed(names);
}

/** The teams of a competition; one's own with its code. */
export function teamLines(teams: readonly Team[], width: number, style: Style): string[] {
  if (teams.length === 0) return ["There are no teams."];
  const rows = teams.map(({ name, members, code }) => [
    oneLine(name),
    members.map((each) => oneLine(each.name)).join(", "),
    code === null ? "" : style.bold(code),
  ]);
  return table([{ title: "team" }, { title: "members", shrinks: true }, { title: "your code" }], rows, width, style);
}

/** Codes with who claimed them, and when. */
export function inviteLines(invites: readonly Invite[], width: number, style: Style): string[] {
  if (invites.length === 0) return ["There are no invite codes."];
  const rows = invites.map(({ code, claimedBy, claimedAt, revokedAt }) => [
    code,
    claimedBy === null ? "nobody yet" : oneLine(claimedBy.name),
    claimedAt === null ? "" : moment(claimedAt),
    revokedAt === null ? "" : style.yellow(`revoked ${moment(revokedAt)}`),
  ]);
  return table(
    [{ title: "code" }, { title: "claimed by", shrinks: true }, { title: "when" }, { title: "" }],
    rows,
    width,
    style,
  );
}
