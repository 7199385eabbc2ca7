import { expect, test } from "vitest";
import { parseCompetition, phaseOf, timeLeft } from "./competition.ts";

const FILE = `
name: spring
title: Spring kernels
starts_at: 2026-03-01T12:00:00Z
ends_at: 2026-04-01T12:00:00Z
problems: [double]
`;

test("a file says what a competition is, and the rest is public, with code shown after the end", () => {
  expect(parseCompetition(FILE)).toEqual({
    name: "spring",
    title: "Spring kernels",
    description: "",
    visibility: "public",
    startsAt: "2026-03-01T12:00:00Z",
    endsAt: "2026-04-01T12:00:00Z",
    codeVisibility: "after_end",
    licence: null,
    teamSize: 1,
    problems: ["double"],
  });
});

test.each([
  ["a missing end", FILE.replace(/ends_at.*\n/, ""), "ends_at: "],
  ["a day that there is not", FILE.replace("2026-04-01", "2026-04-31"), "ends_at: use a moment in UTC, such as"],
  ["a date without a time zone", FILE.replace("12:00:00Z\nends", "12:00:00\nends"), "starts_at: use a moment in UTC"],
  ["an end before the start", FILE.replace("2026-04-01", "2026-02-01"), "ends_at: a competition ends after it starts"],
  ["an end at the start", FILE.replace("2026-04-01", "2026-03-01"), "ends_at: a competition ends after it starts"],
  ["a key that there is not", `${FILE}deadline: never\n`, "there is no key deadline; there are name, title"],
  ["the spelling of the API", FILE.replace("ends_at", "endsAt"), "there is no key endsAt"],
  ["a word that there is not", `${FILE}visibility: secret\n`, "visibility: "],
  ["a team of too many", `${FILE}\nteam_size: 17\n`, "team_size: use at most 16"],
  ["a title that is no text", FILE.replace("Spring kernels", '"a\\0b"'), "title: use printable characters"],
  ["a name with a slash", FILE.replace("spring", "a/b"), "name: use lower-case letters"],
  ["no YAML", "name: [", "it is not YAML"],
  ["no keys", "- name", "write keys such as name: spring"],
])("%s is an error that names it", (_, text, words) => {
  expect(() => parseCompetition(text)).toThrow(`the competition cannot be taken: ${words}`);
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
  expect(timeLeft(DATES, new Date(now))).toBe(words);
});
