import type { Board, BoardHistory, BoardRow } from "@kernelbot/core";
import { expect, test } from "vitest";
import { BOARD, COMPETITION, NOW, ROW, shownBoard, ANONYMOUS, visitBy } from "@kernelbot/testing/web/examples.ts";
import { ALL, boardPath, matchingRows } from "./filter.ts";
import { summary } from "./history.ts";
import { trendOf } from "./trend.ts";

/** Returns the text of a page without tags. */
function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

/** Returns a board with the given number of rows. */
function boardOf(rows: number): Board {
  return {
    ...BOARD,
    rows: Array.from({ length: rows }, (_, at) => ({ ...ROW, rank: at + 1, submissionId: 100 + at })),
  };
}

test("a row shows rank, participant, file, author, runtime, speedup, speed of light, status and date", async () => {
  const rows = BOARD.rows.map((row) => ({ ...row, speedOfLightShare: 0.25 }));
  const text = textOf(await shownBoard({ ...BOARD, rows }));
  expect(text).toMatch(/1 ada fast\.py · autonomous: Model 1 24\.68 µs ± 1\.0 % 1\.620× 25 % confirmed 2026-03-01/);
  expect(text).toMatch(/2 bob no sandbox reference\.py 40\.00 µs/);
});

const rankedBy = { ranking: "sol_score" as const, value: 0.6234, low: 0.61, high: 0.637 };

test("a board that ranks by efficiency shows the score before the runtime, and one sentence on its meaning", async () => {
  const rows = BOARD.rows.map((row) => ({ ...row, rankedBy, deltaToNext: null }));
  const text = textOf(
    await shownBoard({ ...BOARD, rankingBy: "sol_score", ranking: "sol_score", weights: [1, 3], rows }),
  );
  expect(text).toMatch(
    /Ranked by SOL score: 0\.5 is as fast as the reference and 1 is the speed of light, the shortest runtime that the hardware allows; the mean of the cases, weighted by importance\. How it is computed/,
  );
  expect(text).toMatch(/Participant SOL score Runtime Speedup % of speed of light Status/);
  expect(text).toMatch(/1 ada fast\.py · autonomous: Model 1 0\.623 ± 2\.2 % 24\.68 µs 1\.620× 81 %/);
  expect(text).toMatch(/0\.623 Best SOL score, by ada|Best SOL score, by ada 0\.623/);
});

test("a board that ranks by speedup shows it first, once, with the runtime as measured", async () => {
  const speedup = { value: 1.62, low: 1.6, high: 1.64 };
  const rows = [{ ...ROW, speedup, rankedBy: { ranking: "speedup" as const, ...speedup } }];
  const text = textOf(await shownBoard({ ...BOARD, ranking: "speedup", rows }));
  expect(text).toContain("Ranked by the geometric mean of the speedups of the cases over the reference.");
  expect(text).toMatch(/Participant Speedup Gap Runtime % of speed of light Status/);
  expect(text).toMatch(/1 ada fast\.py · autonomous: Model 1 1\.620× ± 1\.2 % 24\.68 µs 81 %/);
  expect(text).toMatch(/1\.620× Best speedup, by ada|Best speedup, by ada 1\.620×/);
});

test("a board that ranks by fraction of peak has no second percentage of nearly the same meaning", async () => {
  const rows = [{ ...ROW, rankedBy: { ...rankedBy, ranking: "fraction_of_peak" as const }, speedOfLightShare: 0.25 }];
  const text = textOf(await shownBoard({ ...BOARD, ranking: "fraction_of_peak", rows }));
  expect(text).toMatch(/0\.623 ± 2\.2 % 24\.68 µs 1\.620× 62 %/);
  expect(text).not.toContain("25 %");
});

test("a board of a problem with an application has a column for its results, with a sentence on their meaning", async () => {
  const speedup = { value: 1.24, low: 1.2, high: 1.3 };
  const [row] = BOARD.rows as [BoardRow];
  const rows: BoardRow[] = [
    { ...row, inUse: { state: "validated", held: 5, cases: 5, speedup } },
    { ...row, submissionId: 2, inUse: { state: "not_validated", held: 3, cases: 5, speedup } },
    { ...row, submissionId: 3, inUse: null },
  ];
  expect(textOf(await shownBoard({ ...BOARD, rows, applicationGate: "none" }))).not.toContain("In use");
  const shown = textOf(await shownBoard({ ...BOARD, rows, applicationGate: "shown" }));
  expect(shown).toContain("In use: whether the kernel works in every case of a program that uses it");
  expect(shown).toMatch(/validated, 1\.240× .* 3 of 5 cases .* – /);
  expect(shown).not.toContain("confirmed only once");
  const required = textOf(await shownBoard({ ...BOARD, rows, applicationGate: "required" }));
  expect(required).toContain("An entry is confirmed only once its kernel is validated.");
});

test("the row of a team shows its name and members", async () => {
  const members = [ROW.account, { id: "b", name: "bob" }];
  const rows = [{ ...ROW, team: { id: 1, name: "Fast ones", members } }];
  expect(textOf(await shownBoard({ ...BOARD, rows }))).toMatch(/1 Fast ones ada, bob · fast\.py/);
});

test("a result of a legacy harness is marked, and has a dash instead of a speedup", async () => {
  const rows = BOARD.rows.map((row) => ({ ...row, legacyHarness: true, speedup: null }));
  expect(textOf(await shownBoard({ ...BOARD, rows }))).toMatch(/1 ada legacy harness .* 24\.68 µs ± 1\.0 % –/);
});

test.each([
  [{ value: 1.012, low: 0.99, high: 1.03 }, 'faint">+1.2 %<'],
  [{ value: 1.25, low: 1.2, high: 1.3 }, ">+25 %<"],
  [{ value: 2.5, low: 2.4, high: 2.6 }, ">2.500×<"],
] as const)("a gap of %o is shown as %s, faint if it is not significant", async (deltaToNext, words) => {
  expect(await shownBoard({ ...BOARD, rows: [{ ...ROW, deltaToNext }] })).toContain(words);
});

test("case times have columns if requested", async () => {
  const rows = [{ ...ROW, caseTimesNs: [1500, 2_500_000] }];
  const board = { ...BOARD, cases: ["size: 127", "size: 4096"], rows };
  expect(textOf(await shownBoard(board))).not.toContain("1.500 µs");
  expect(textOf(await shownBoard(board, { filter: { ...ALL, cases: true } }))).toMatch(/1\.500 µs 2\.500 ms/);
});

test.each<[Partial<typeof ALL>, string[]]>([
  [{ author: "autonomous" }, ["ada"]],
  [{ author: "human" }, []],
  [{ verification: "provisional" }, ["bob"]],
  [{ search: "ADA" }, ["ada"]],
  [{ search: "model 1" }, ["ada"]],
  [{ search: "reference.py bo" }, ["bob"]],
  [{ search: "ada bob" }, []],
  [{ search: " " }, ["ada", "bob"]],
])("the filter %o matches %j", (filter, names) => {
  expect(matchingRows(BOARD.rows, { ...ALL, ...filter }).map(({ account }) => account.name)).toEqual(names);
});

test("a filter is part of the URL, and its fields show it", async () => {
  const filter = { ...ALL, author: "autonomous", search: "a & b" } as const;
  expect(boardPath(BOARD, filter)).toBe("/boards/vectoradd/cpu?author=autonomous&search=a+%26+b");
  const page = await shownBoard(BOARD, { filter });
  expect(page).toContain('value="a &amp; b"');
  expect(page).toMatch(/value="autonomous"\s+selected/);
  expect(textOf(page)).toContain("No matches among 2 entries. Show all");
});

test("the viewer's own row is marked, and linked above even if a filter hides it", async () => {
  const visit = { ...ANONYMOUS, viewer: { id: "b", name: "bob", roles: [] } };
  const page = await shownBoard(BOARD, { visit });
  expect(page).toContain('<tr id="s5" class="own">');
  expect(page).toContain('"/boards/vectoradd/cpu#s5">rank 2 with 40.00 µs<');
  expect(textOf(await shownBoard(BOARD, { visit, filter: { ...ALL, search: "ada" } }))).toContain(
    "hidden by the filter",
  );
  expect(await shownBoard(BOARD, { visit: visitBy("other") })).not.toContain('class="own"');
});

test("the row of a team is marked for its members", async () => {
  const team: BoardRow["team"] = { id: 1, name: "Fast ones", members: [{ id: "b", name: "bob" }] };
  const visit = { ...ANONYMOUS, viewer: { id: "b", name: "bob", roles: [] } };
  expect(await shownBoard({ ...BOARD, rows: [{ ...ROW, team }] }, { visit })).toContain('class="own"');
});

test("a board shows the time left, and is final once its competition has ended", async () => {
  const at = async (now: Date) => shownBoard(BOARD, { competition: COMPETITION, now });
  expect(textOf(await at(NOW))).toContain("5 days left , until 2026-03-06 14:05");
  const ended = await at(new Date("2026-04-01T00:00:00Z"));
  expect(textOf(ended)).toContain("Final. Ended 2026-03-06 14:05");
  expect(ended).toContain('data-live="no"');
  expect(textOf(await shownBoard(BOARD))).toContain("Open for practice, without an end date.");
});

test("an empty board shows how to submit, before the start how to test, and after the end that there are no entries", async () => {
  const empty = { ...BOARD, rows: [] };
  const at = async (now: string) => textOf(await shownBoard(empty, { competition: COMPETITION, now: new Date(now) }));
  expect(await at("2026-03-02T00:00:00Z")).toContain(
    "kernelbot submit my.py --board vectoradd --target cpu --mode ranked",
  );
  expect(await at("2026-02-01T00:00:00Z")).toContain("--mode test");
  expect(await at("2026-04-01T00:00:00Z")).toContain("The competition ended without entries.");
});

test("tabs link to the other targets of the problem, with the same filter", async () => {
  const page = await shownBoard(BOARD, { targets: ["cpu", "H100"], filter: { ...ALL, author: "human" } });
  expect(page).toContain('href="/boards/vectoradd/H100?author=human"');
  expect(page).toMatch(/href="\/boards\/vectoradd\/cpu\?author=human"\s+aria-current="page"/);
});

test("two rows are selected and compared with a form, without script", async () => {
  const page = await shownBoard(BOARD);
  expect(page).toContain('<input type="checkbox" form="chosen" name="with" value="7" aria-label="Select ada">');
  expect(page).toMatch(/<form class="chosen" id="chosen" action="\/compare"/);
  expect(page).toContain('<button name="target" value="cpu">');
});

test("selecting rows for the chart keeps the page and the search", async () => {
  const page = await shownBoard(boardOf(300), { filter: { ...ALL, search: "ada", with: [100], from: 201 } });
  const [, form = ""] = /<form class="chosen"(.*?)<\/form>/s.exec(page) ?? [];
  expect(form).toContain('<input type="hidden" name="search" value="ada" />');
  expect(form).toContain('<input type="hidden" name="from" value="201" />');
  expect(form).not.toContain('name="with"');
});

test("a long board shows 100 rows per page, with their range and links to other pages with the same filter", async () => {
  const filter = { ...ALL, search: "ada", with: [100, 101] };
  const page = await shownBoard(boardOf(360), { filter: { ...filter, from: 101 } });
  expect(page.match(/<tr id="s\d+"/g)).toHaveLength(100);
  expect(page).toContain('<tr id="s200"');
  expect(page).toContain('<caption class="visually-hidden">Entries 101 to 200 of 360, fastest first</caption>');
  expect(textOf(page)).toContain("Rows 101 to 200 of 360 First Previous Next Last");
  const to = (from: number) => `${boardPath(BOARD, { ...filter, from })}#entries`.replaceAll("&", "&amp;");
  const links = Array.from(page.matchAll(/<a href="([^"]*#entries)"([^>]*)>/g), ([, href, rest = ""]) => [
    href,
    rest.trim(),
  ]);
  expect(links).toEqual([
    [to(1), ""],
    [to(1), 'rel="prev"'],
    [to(201), 'rel="next"'],
    [to(301), ""],
  ]);
});

test.each([
  [1, "Rows 1 to 100 of 360 Next Last"],
  [175, "Rows 101 to 200 of 360 First Previous Next Last"],
  [360, "Rows 301 to 360 of 360 First Previous"],
  [361, "Rows 1 to 100 of 360 Next Last"],
])("from row %i a page shows %s", async (from, words) => {
  const page = await shownBoard(boardOf(360), { filter: { ...ALL, from } });
  const [nav = ""] = /<nav id="pages".*?<\/nav>/s.exec(page) ?? [];
  expect(textOf(nav).trim()).toBe(words);
});

test("a board without further pages has no page links", async () => {
  expect(await shownBoard(boardOf(100))).not.toContain('id="pages"');
  expect(await shownBoard(boardOf(300), { filter: { ...ALL, search: "unknown" } })).not.toContain('id="pages"');
});

test("another search, another target and the full board start at the first row", async () => {
  const filter = { ...ALL, search: "ada", from: 201 };
  const page = await shownBoard(boardOf(300), { targets: ["cpu", "H100"], filter });
  expect(page).toContain('href="/boards/vectoradd/H100?search=ada"');
  expect(page).toContain('<a href="/boards/vectoradd/cpu">Show all</a>');
  expect(page).not.toMatch(/<form class="filters"[^]*name="from"[^]*<form class="chosen"/);
});

test("the link to the viewer's own row leads to its page, without the search if that hides the row", async () => {
  const { rows } = boardOf(360);
  const account = { id: "b", name: "bob" };
  const board = { ...BOARD, rows: rows.map((row, at) => (at === 225 ? { ...row, account } : row)) };
  const visit = { ...ANONYMOUS, viewer: { ...account, roles: [] } };
  expect(await shownBoard(board, { visit })).toContain(`"/boards/vectoradd/cpu?from=201#s325">rank 226 with`);
  const found = await shownBoard(board, { visit, filter: { ...ALL, search: "bob" } });
  expect(found).toContain(`"/boards/vectoradd/cpu?search=bob#s325">rank 226 with`);
  const hidden = await shownBoard(board, { visit, filter: { ...ALL, search: "ada", cases: true } });
  expect(hidden).toContain(`"/boards/vectoradd/cpu?cases=1&amp;from=201#s325">rank 226 with`);
  expect(textOf(hidden)).toContain("hidden by the filter");
});

const point = (name: string, submittedAt: string, ns: number): BoardHistory["records"][number] => ({
  submissionId: ns,
  runId: 1,
  verification: "provisional",
  account: { id: name, name },
  team: null,
  author: ROW.author,
  submittedAt,
  timeNs: { value: ns, low: ns, high: ns },
});

test("of many records, the table lists the newest, and the chart omits points that coincide", async () => {
  const start = Date.parse("2026-03-01T00:00:00.000Z");
  const records = Array.from({ length: 5000 }, (_, at) =>
    point(`one ${at}`, new Date(start + at * 60_000).toISOString(), 10_000 - at),
  );
  const history = {
    board: "b",
    target: "cpu",
    problemVersion: "",
    changeNumber: 0,
    freeze: null,
    records,
    entrants: [],
  };
  const page = await shownBoard(BOARD, { history });
  expect(textOf(page)).toMatch(
    /5,000 records Date .* one 4999 5\.001 µs 0\.0 % .* one 4980 5\.020 µs 0\.0 % 4,980 older records \(JSON\)/,
  );
  const [, line = ""] = /class="tone-record step" d="([^"]*)"/.exec(page) ?? [];
  expect(line.length).toBeLessThan(20_000);
  expect(line).toMatch(/^M0\.0 .*H1000\.0V[\d.]+H1000$/);
});

test("records are shown in a sentence, in a table and in a chart", async () => {
  const records = [point("bob", "2026-03-01T00:00:00.000Z", 12_300), point("ada", "2026-05-05T00:00:00.000Z", 2300)];
  const sentence = "From 12.30 µs on 1 March 2026 to 2.300 µs by ada on 5 May 2026, 2 records.";
  expect(summary(records)).toBe(sentence);
  expect(summary(records.slice(0, 1))).toBe("12.30 µs by bob on 1 March 2026, the only record so far.");
  const entrants = [
    { entrant: { id: "ada", name: "Record" }, points: records.map((each) => ({ ...each, bestNs: each.timeNs.value })) },
  ];
  const history = { board: "b", target: "cpu", problemVersion: "", changeNumber: 0, freeze: null, records, entrants };
  const page = await shownBoard(BOARD, { history });
  expect(page).toContain(`<desc>${sentence}</desc>`);
  expect(textOf(page)).toMatch(/2026-05-05 00:00 ada 2\.300 µs 81\.3 % 2026-03-01 00:00 bob 12\.30 µs/);
  // A participant's name may equal the label of the record.
  expect(page).toContain("Record (2)");
});

test("records of speedups are charted and pictured as ratios, a higher one above", async () => {
  const record = (name: string, submittedAt: string, value: number) => ({
    ...point(name, submittedAt, 12_300),
    rankedBy: { ranking: "speedup" as const, value, low: value, high: value },
  });
  const records = [
    record("bob", "2026-03-01T00:00:00.000Z", 1),
    record("ada", "2026-03-02T00:00:00.000Z", 2),
    record("bob", "2026-03-03T00:00:00.000Z", 4),
  ];
  const history = {
    board: "b",
    target: "cpu",
    problemVersion: "",
    changeNumber: 0,
    freeze: null,
    records,
    entrants: [],
  };
  const page = await shownBoard(BOARD, { history });
  expect(page).toContain("From 1.000× on 1 March 2026 to 4.000× by bob on 3 March 2026, 3 records.");
  expect(page).toContain("Best speedup over time");
  expect(textOf(page)).toContain("2×");
  expect(trendOf(history)).toEqual([
    [0, 0],
    [0.45, 0.5],
    [0.9, 1],
  ]);
});

test("the chart of a first entry has a line from its submission to the present", async () => {
  const submitted = new Date(NOW.getTime() - 600_000).toISOString();
  const history = { board: "b", target: "cpu", problemVersion: "", changeNumber: 0, freeze: null, entrants: [] };
  const page = await shownBoard(BOARD, { history: { ...history, records: [point("ada", submitted, 12_300)] } });
  expect(page).toContain(
    JSON.stringify([
      [Date.parse(submitted), 12_300, "ada"],
      [NOW.getTime(), 12_300, "ada"],
    ]),
  );
  expect(/class="tone-record step" d="([^"]*)"/.exec(page)?.[1]).toMatch(/^M0\.0 .*H1000/);
});

const FREEZE = { since: "2026-03-01T10:00:00.000Z", until: "2026-03-08T12:00:00.000Z" };

test("a frozen board shows when it froze and its reveal, and links moderators and organisers to the full board", async () => {
  const frozen = { ...BOARD, freeze: FREEZE };
  const page = await shownBoard(frozen, { competition: COMPETITION });
  expect(textOf(page)).toMatch(
    /Frozen since 2026-03-01 10:00 : later submissions are listed from 2026-03-08 12:00 UTC/,
  );
  expect(page).not.toContain("unfrozen");
  const whole = 'href="/boards/vectoradd/cpu?unfrozen=true"';
  const organiser = { ...visitBy("olga"), viewer: { id: "o", name: "olga", roles: [] } };
  for (const visit of [organiser, visitBy("mia", ["moderator"])]) {
    expect(await shownBoard(frozen, { competition: COMPETITION, visit })).toContain(whole);
  }
  expect(await shownBoard(frozen, { competition: COMPETITION, visit: visitBy("bob") })).not.toContain("unfrozen");
});

test("a full board says that participants do not see it, and stays full with a filter", async () => {
  const board = { ...BOARD, freeze: FREEZE, unfrozen: true };
  const page = await shownBoard(board, { competition: COMPETITION, filter: { ...ALL, unfrozen: true } });
  expect(textOf(page)).toMatch(
    /This is the full leaderboard, including results that are hidden from participants until 2026-03-08/,
  );
  expect(page).toContain('<input type="hidden" name="unfrozen" value="true" />');
  expect(page).toContain('data-live="/boards/vectoradd/cpu/updates?unfrozen=true&amp;after=3&amp;runners=cpu:online"');
});

test("a board that is frozen after the end still updates, and one outside its competition says so", async () => {
  const over = { ...COMPETITION, endsAt: "2026-03-01T12:00:00.000Z" };
  const frozen = await shownBoard({ ...BOARD, freeze: FREEZE }, { competition: over });
  expect(frozen).toContain('data-live="/boards/vectoradd/cpu/updates?after=3&amp;runners=cpu:online"');
  expect(await shownBoard(BOARD, { competition: over })).toContain('data-live="no"');
  const outside = await shownBoard(BOARD, { competition: { ...COMPETITION, targets: ["H100"] } });
  expect(textOf(outside)).toContain("This leaderboard is not part of the competition");
});

test("a board that accepts submissions says when no runner serves its target", async () => {
  const offline = { status: "offline", online: 0, queued: 3, lastSeenAt: null } as const;
  const sentence = "No runner for cpu is connected; 3 submissions queued; last seen never. Submissions stay queued";
  expect(textOf(await shownBoard(BOARD, { runners: offline }))).toContain(sentence);
  expect(textOf(await shownBoard(BOARD))).not.toContain("No runner");
  const ended = { ...COMPETITION, endsAt: "2026-01-01T00:00:00.000Z" };
  expect(textOf(await shownBoard(BOARD, { runners: offline, competition: ended }))).not.toContain("No runner");
});
