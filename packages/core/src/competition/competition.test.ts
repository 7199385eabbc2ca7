import { expect, test } from "vitest";
import {
  endedCompetition,
  problemEndsAt,
  frozenUntil,
  hasBoard,
  parseCompetition,
  phaseOf,
  formatTimeLeft,
} from "../index.ts";

const FILE = `
name: spring
title: Spring kernels
starts_at: 2026-03-01T12:00:00Z
ends_at: 2026-04-01T12:00:00Z
problems: [double]
`;

test("omitted settings default to public, with code shown after the end", () => {
  expect(parseCompetition(FILE)).toEqual({
    name: "spring",
    title: "Spring kernels",
    description: "",
    visibility: "public",
    startsAt: "2026-03-01T12:00:00Z",
    endsAt: "2026-04-01T12:00:00Z",
    freezeAt: null,
    revealAt: null,
    participants: "everyone",
    groups: [],
    names: "accounts",
    limits: {},
    codeVisibility: "after_end",
    licence: null,
    teamSize: 1,
    targets: null,
    problems: [{ name: "double", targets: null, endsAt: null }],
  });
});

test("a file sets boards, freeze, end, participants and limits", () => {
  const whole = parseCompetition(`${FILE.replace("problems: [double]\n", "")}
targets: [cpu, H100]
problems:
  - double
  - { name: triple, targets: [H100], ends_at: 2026-03-15T12:00:00Z }
freeze_at: 2026-03-25T12:00:00Z
reveal_at: 2026-04-02T12:00:00Z
participants: members
groups: [/kernel team, 0760b6cf-170e-4a14-91b3-4b78e0739963]
limits: { ranked_per_hour: 10, test_per_hour: 60 }
`);
  expect(whole).toMatchObject({
    targets: ["cpu", "H100"],
    problems: [
      { name: "double", targets: null, endsAt: null },
      { name: "triple", targets: ["H100"], endsAt: "2026-03-15T12:00:00Z" },
    ],
    freezeAt: "2026-03-25T12:00:00Z",
    revealAt: "2026-04-02T12:00:00Z",
    participants: "members",
    groups: ["/kernel team", "0760b6cf-170e-4a14-91b3-4b78e0739963"],
    limits: { rankedPerHour: 10, testPerHour: 60 },
  });
});

const FREEZE = "freeze_at: 2026-03-25T12:00:00Z\n";
const own = (keys: string) => FILE.replace("[double]", `[{ name: double, ${keys} }]`);

test.each([
  ["a missing end", FILE.replace(/ends_at.*\n/, ""), "ends_at: it is missing; write a time in UTC, such as"],
  [
    "a day that there is not",
    FILE.replace("2026-04-01", "2026-02-30"),
    'ends_at: "2026-02-30T12:00:00Z" does not exist; use a time in UTC, such as',
  ],
  [
    "a date without a time zone",
    FILE.replace("12:00:00Z\nends", "12:00:00\nends"),
    'starts_at: "2026-03-01T12:00:00" has no time zone; use a time in UTC, such as',
  ],
  [
    "a date without a time",
    FILE.replace("01T12:00:00Z\nends", "01\nends"),
    'starts_at: "2026-03-01" has no time of day',
  ],
  [
    "a time of another zone",
    FILE.replace("00Z\nends", "00+02:00\nends"),
    'starts_at: "2026-03-01T12:00:00+02:00" is not',
  ],
  ["an end that is empty", FILE.replace("ends_at: 2026-04-01T12:00:00Z", "ends_at:"), "ends_at: use a time in UTC"],
  [
    "an end in words",
    FILE.replace("2026-04-01T12:00:00Z", "soon"),
    'ends_at: "soon" is not a valid time; use a time in UTC',
  ],
  ["a freeze at the start", `${FILE}freeze_at: 2026-03-01T12:00:00Z\n`, "freeze_at: boards freeze after the start"],
  ["a freeze at the end", `${FILE}freeze_at: 2026-04-01T12:00:00Z\n`, "freeze_at: boards freeze before the end"],
  ["a freeze without a zone", `${FILE}freeze_at: 2026-03-25 12:00\n`, 'freeze_at: "2026-03-25 12:00" has no time zone'],
  [
    "a reveal before the end",
    `${FILE}${FREEZE}reveal_at: 2026-03-31T12:00:00Z\n`,
    "reveal_at: boards are revealed at the end or later",
  ],
  ["a reveal of nothing", `${FILE}reveal_at: 2026-04-02T12:00:00Z\n`, "reveal_at: no freeze to end"],
  [
    "a problem that ends later",
    own("ends_at: 2026-04-02T12:00:00Z"),
    "problems.0.ends_at: double ends with the competition or before it",
  ],
  ["a problem's end that is a day", own("ends_at: 2026-03-20"), 'problems.0.ends_at: "2026-03-20" has no time of day'],
  ["a problem's deadline", own("deadline: x"), "problems.0: unknown key deadline"],
  ["a problem's end in the API's spelling", own("endsAt: x"), 'problems.0: unknown key "endsAt"'],
  [
    "a problem that is named twice",
    FILE.replace("[double]", "[double, double]"),
    "problems.1.name: double is named twice",
  ],
  ["no target at all", `${FILE}targets: []\n`, "targets: name a target, or leave it out for all"],
  ["a limit below 0", `${FILE}limits: { ranked_per_hour: -1 }\n`, "limits.ranked_per_hour: use 0 or more"],
  ["a limit of what there is not", `${FILE}limits: { ranked_per_day: 3 }\n`, "limits: unknown key ranked_per_day"],
  ["participants of another kind", `${FILE}participants: friends\n`, "participants: "],
  ["a group that is named twice", `${FILE}groups: [a, a]\n`, "groups: name each group once"],
  ["a group with a line break", `${FILE}groups: ["a\\nb"]\n`, "groups.0: use printable characters"],
  ["an end before the start", FILE.replace("2026-04-01", "2026-02-01"), "ends_at: a competition ends after it starts"],
  ["an end at the start", FILE.replace("2026-04-01", "2026-03-01"), "ends_at: a competition ends after it starts"],
  ["a key that there is not", `${FILE}deadline: never\n`, "unknown key deadline; valid keys are name, title"],
  ["the spelling of the API", FILE.replace("ends_at", "endsAt"), "unknown key endsAt"],
  ["a word that there is not", `${FILE}visibility: secret\n`, "visibility: "],
  ["teams under pseudonyms", `${FILE}\nteam_size: 2\nnames: pseudonyms`, "names: boards with pseudonyms have no teams"],
  ["a team of too many", `${FILE}\nteam_size: 17\n`, "team_size: use at most 16"],
  ["a title with a control character", FILE.replace("Spring kernels", '"a\\0b"'), "title: use printable characters"],
  ["a name with a slash", FILE.replace("spring", "a/b"), "name: use lower-case letters"],
  ["no YAML", "name: [", "it is not YAML"],
  ["no keys", "- name", "write keys such as name: spring"],
])("%s is an error that names it", (_, text, words) => {
  expect(() => parseCompetition(text)).toThrow(`invalid competition: ${words}`);
});

const DATES = { startsAt: "2026-03-01T12:00:00Z", endsAt: "2026-03-11T12:00:00Z" };

test.each([
  ["2026-02-01T12:00:00Z", "upcoming", "starts in 28 days"],
  ["2026-03-01T11:59:59Z", "upcoming", "starts in 1 minute"],
  ["2026-03-01T12:00:00Z", "running", "10 days left"],
  ["2026-03-09T13:00:00Z", "running", "47 hours left"],
  ["2026-03-11T11:58:30Z", "running", "1 minute left"],
  ["2026-03-11T12:00:00Z", "ended", "ended"],
])("at %s it is %s: %s", (now, phase, words) => {
  expect(phaseOf(DATES, new Date(now))).toBe(phase);
  expect(formatTimeLeft(DATES, new Date(now))).toBe(words);
});

test("boards are frozen from the freeze until the reveal, which defaults to the end", () => {
  const freeze = { ...DATES, freezeAt: "2026-03-10T12:00:00Z", revealAt: null };
  const at = (now: string, dates = {}) => frozenUntil({ ...freeze, ...dates }, new Date(now));
  expect(at("2026-03-10T11:59:59Z")).toBeNull();
  expect(at("2026-03-10T12:00:00Z")).toBe(DATES.endsAt);
  expect(at("2026-03-11T12:00:00Z")).toBeNull();
  const revealAt = "2026-03-12T12:00:00Z";
  expect(at("2026-03-11T12:00:00Z", { revealAt })).toBe(revealAt);
  expect(at(revealAt, { revealAt })).toBeNull();
  expect(at("2026-03-10T12:00:00Z", { freezeAt: null })).toBeNull();
});

const ENTERED = {
  targets: ["cpu"],
  problems: [
    { name: "double", targets: null, endsAt: null },
    { name: "triple", targets: ["H100"], endsAt: "2026-03-05T12:00:00Z" },
  ],
};

test("a competition includes a problem's boards on the targets of the problem or of the competition", () => {
  expect(hasBoard(ENTERED, "double", "cpu")).toBe(true);
  expect(hasBoard(ENTERED, "double", "H100")).toBe(false);
  expect(hasBoard(ENTERED, "triple", "H100")).toBe(true);
  expect(hasBoard(ENTERED, "triple", "cpu")).toBe(false);
  expect(hasBoard({ ...ENTERED, targets: null }, "double", "MI300")).toBe(true);
  expect(hasBoard({ ...ENTERED, targets: null }, "other", "cpu")).toBe(false);
  expect(problemEndsAt({ ...DATES, ...ENTERED }, "triple")).toBe("2026-03-05T12:00:00Z");
  expect(problemEndsAt({ ...DATES, ...ENTERED }, "double")).toBe(DATES.endsAt);
});

test("a competition that is ended early keeps no later date except the reveal of a freeze", () => {
  const whole = { ...DATES, ...ENTERED, freezeAt: "2026-03-09T12:00:00Z", revealAt: "2026-03-12T12:00:00Z" };
  const early = endedCompetition(whole, new Date("2026-03-04T12:00:00Z"));
  expect(early).toMatchObject({ endsAt: "2026-03-04T12:00:00.000Z", freezeAt: null, revealAt: null });
  expect(early.problems.map(({ endsAt }) => endsAt)).toEqual([null, null]);
  const late = endedCompetition(whole, new Date("2026-03-10T12:00:00Z"));
  expect(late).toMatchObject({ freezeAt: whole.freezeAt, revealAt: whole.revealAt });
  expect(late.problems.map(({ endsAt }) => endsAt)).toEqual([null, "2026-03-05T12:00:00Z"]);
});
