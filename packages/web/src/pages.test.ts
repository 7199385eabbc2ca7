import type { Competition, TargetAvailability } from "@kernelbot/core";
import { expect, test } from "vitest";
import { accountPage } from "./account/page.ts";
import { ALL } from "./board/filter.ts";
import { comparePage } from "./comparison/page.ts";
import { competitionPage } from "./competition/page.ts";
import { deviceConfirmPage } from "./sign-in/device.ts";
import { errorPage } from "./layout/errors.ts";
import type { Visit } from "./layout/page-context.ts";
import { sourcePage } from "./submission/source-page.ts";
import {
  ACCOUNT,
  BOARD,
  COMPARED,
  COMPETITION,
  HOSTILE,
  NOW,
  PASSED,
  ROW,
  shownBoard,
  ANONYMOUS,
  submissionOf,
  visitBy,
} from "@kernelbot/testing/web/examples.ts";
import { homePage } from "./competition/home.ts";
import { joinPage } from "./competition/join.ts";
import { emailLinkPage, emailSentPage } from "./sign-in/email.ts";
import { continuePage, signInLinkPage, signInPage } from "./sign-in/page.ts";

const KERNEL = "def custom_kernel(data):\n    return";
const FILES = { sources: { a: `${KERNEL} fast(data)\n`, b: `${KERNEL} slow(data)\n` }, visit: ANONYMOUS };

const SIGN_IN = {
  methods: { providers: [{ name: "oidc" as const, label: HOSTILE }], email: { domains: [HOSTILE] } },
  ...{ next: HOSTILE, visit: visitBy(HOSTILE) },
};
const EMAIL_LINK = { address: HOSTILE, token: HOSTILE, adds: null, opens: null, name: "", visit: visitBy(HOSTILE) };

/** Availability where runners of only these targets are online. */
function onlineFor(...targets: string[]): (target: string) => Pick<TargetAvailability, "status"> {
  return (target) => ({ status: targets.includes(target) ? "online" : "offline" });
}

/** Returns the text of a page without tags. */
function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

test.each([
  [
    "home",
    () =>
      homePage({
        changeNumber: 3,
        practice: 1,
        boards: [
          {
            board: "b",
            set: HOSTILE,
            target: "cpu",
            entries: 1,
            leader: { id: "a", name: HOSTILE },
            team: null,
            bestNs: 1,
            unsandboxed: false,
            freeze: null,
          },
        ],
        competitions: [{ ...COMPETITION, title: HOSTILE }],
        availabilities: onlineFor("cpu"),
        now: NOW,
        server: HOSTILE,
        visit: ANONYMOUS,
      }),
  ],
  [
    "board",
    () =>
      shownBoard(
        { ...BOARD, rows: [{ ...ROW, account: { id: "a", name: HOSTILE }, fileName: HOSTILE }], cases: [HOSTILE] },
        { visit: visitBy(HOSTILE), filter: { ...ALL, search: HOSTILE, cases: true } },
      ),
  ],
  ["error", () => errorPage({ code: "bad_request", message: HOSTILE, visit: visitBy(HOSTILE) })],
  ["sign in", () => signInPage({ ...SIGN_IN, email: HOSTILE, problem: HOSTILE })],
  ["continue", () => continuePage({ label: HOSTILE, url: HOSTILE, visit: ANONYMOUS })],
  ["e-mail sent", () => emailSentPage({ address: HOSTILE, adds: false, visit: ANONYMOUS })],
  ["link that signs in", () => emailLinkPage({ ...EMAIL_LINK, opens: HOSTILE })],
  ["link that creates an account", () => emailLinkPage({ ...EMAIL_LINK, name: HOSTILE, problem: HOSTILE })],
  ["link that adds an address", () => emailLinkPage({ ...EMAIL_LINK, adds: HOSTILE })],
  ["link that adds an address elsewhere", () => emailLinkPage({ ...EMAIL_LINK, adds: HOSTILE, visit: ANONYMOUS })],
  ["sign-in link", () => signInLinkPage({ name: HOSTILE, token: HOSTILE, visit: visitBy("ada") })],
  [
    "device",
    () =>
      deviceConfirmPage({ visit: visitBy(HOSTILE), code: HOSTILE, scopes: ["read"], address: HOSTILE, askedAt: "" }),
  ],
  ["account", () => accountPage({ ...ACCOUNT, problem: HOSTILE })],
  [
    "source",
    () => sourcePage({ submission: { ...submissionOf(PASSED), fileName: HOSTILE }, source: HOSTILE, visit: ANONYMOUS }),
  ],
  ["join", () => joinPage({ code: "0".repeat(32), refusal: HOSTILE, visit: visitBy(HOSTILE) })],
  [
    "competition",
    () =>
      competitionPage({
        data: null,
        links: [{ path: "/competitions/spring/course", label: HOSTILE }],
        changeNumber: 3,
        competition: { ...COMPETITION, title: HOSTILE, description: HOSTILE },
        boards: [],
        teams: [{ id: 1, name: HOSTILE, members: [{ id: "a", name: HOSTILE }], code: null }],
        now: NOW,
        visit: visitBy(HOSTILE),
      }),
  ],
  [
    "compare",
    () =>
      comparePage({
        ...FILES,
        compared: {
          ...COMPARED,
          a: { ...COMPARED.a, account: { id: "a", name: HOSTILE }, fileName: HOSTILE },
          comparison: {
            ...COMPARED.comparison,
            cases: COMPARED.comparison.cases.map((each) => ({ ...each, case: { name: HOSTILE } })),
            machines: [{ what: HOSTILE, a: HOSTILE, b: HOSTILE }],
          },
          diff: [{ lines: [{ kind: "same", text: HOSTILE, a: 1, b: 1 }] }],
        },
        sources: { a: HOSTILE, b: HOSTILE },
      }),
  ],
])("the page %s escapes user text", async (_, make) => {
  const page = await make();
  expect(page).toContain("&lt;script&gt;alert(1)");
  expect(page).not.toMatch(/<script>|<img|onerror=[^&]*>/);
  // A quote within an attribute would end it.
  expect(page).not.toContain(`"'>`);
});

test("pages have no inline scripts or styles, which the Content Security Policy blocks", async () => {
  const page = await shownBoard(BOARD);
  expect(page).not.toMatch(/ style=|<style| on\w+=|<script(?![^>]* src=)/);
});

test("the home page shows the leaders, and the boards without entries", async () => {
  const led = {
    board: "sort",
    set: "pmpp",
    target: "cpu",
    entries: 2,
    leader: { id: "a", name: "ada" },
    team: null,
    bestNs: 1500,
    unsandboxed: true,
    freeze: null,
  };
  const open = {
    board: "sort",
    set: "pmpp",
    target: "H100",
    entries: 0,
    leader: null,
    team: null,
    bestNs: null,
    unsandboxed: false,
    freeze: null,
  };
  const page = await homePage({
    changeNumber: 3,
    practice: 1,
    boards: [open, led],
    competitions: [],
    availabilities: onlineFor("cpu", "H100"),
    server: "http://kernels.example.org",
    now: NOW,
    visit: ANONYMOUS,
  });
  expect(textOf(page)).toContain("sort Start here cpu 1.500 µs ada no sandbox 2 entries H100 no entries yet");
  expect(page).toContain('href="/boards/sort/H100"');
  expect(textOf(page)).toContain("export KERNELBOT_SERVER=http://kernels.example.org");
  expect(textOf(page)).toContain("kernelbot submit my.py --board sort --target cpu --mode ranked");
});

test("the home page groups boards by competition with the time left, followed by practice boards", async () => {
  const board = {
    set: "pmpp",
    target: "cpu",
    entries: 0,
    leader: null,
    team: null,
    bestNs: null,
    unsandboxed: false,
    freeze: null,
  };
  const boards = ["free", "vectoradd"].map((name) => ({ ...board, board: name }));
  const page = await homePage({
    changeNumber: 3,
    practice: 1,
    boards,
    competitions: [COMPETITION],
    availabilities: onlineFor("cpu", "H100"),
    server: "http://localhost",
    now: NOW,
    visit: ANONYMOUS,
  });
  expect(textOf(page)).toMatch(
    /Spring kernels 5 days left .* vectoradd cpu no entries yet Practice .* free cpu no entries yet/,
  );
  expect(page).toContain('href="/competitions/spring"');
});

test("the home page leads with boards that can run, by problem set, and marks the place to start", async () => {
  const board = { entries: 0, leader: null, team: null, bestNs: null, unsandboxed: false, freeze: null };
  const boards = [
    { ...board, board: "cholesky", set: "linalg", target: "cpu" },
    { ...board, board: "mla-decode", set: "deepseek", target: "H200" },
    { ...board, board: "vectoradd", set: "pmpp", target: "H200" },
    { ...board, board: "vectoradd", set: "pmpp", target: "cpu" },
  ];
  const empty = { changeNumber: 3, competitions: [], server: "http://localhost", now: NOW, visit: ANONYMOUS };
  const shown = { ...empty, boards, practice: 3 };
  const page = await homePage({ ...shown, availabilities: onlineFor("cpu") });
  const [before = "", after = ""] = page.split('<details id="other-hardware">');
  expect(textOf(before)).toMatch(
    /Leader pmpp vectoradd Start here cpu no entries yet linalg cholesky cpu no entries yet $/,
  );
  expect(textOf(after)).toMatch(
    /^ Needs other hardware: H200 No runner for these targets is connected\..* deepseek mla-decode H200 .* pmpp vectoradd H200/,
  );
  expect(textOf(after)).toContain("kernelbot submit my.py --board vectoradd --target cpu");
  expect(page).toMatch(/data-live="\/updates\?after=\d+&amp;runners=H200:offline,cpu:online"/);

  const none = textOf(await homePage({ ...shown, availabilities: onlineFor() }));
  expect(none).toMatch(
    /Leaderboards No runner is connected, so submissions stay queued\. .* vectoradd Start here H200 cpu no entries yet deepseek mla-decode H200 /,
  );
  expect(none).not.toContain("Needs other hardware");

  expect(page).not.toContain("All 3 problems");
  const first = await homePage({ ...shown, practice: 5000, availabilities: onlineFor("cpu") });
  expect(first).toContain('<a href="/problems">All 5,000 problems</a>');
});

test("every page links to the installation of the command line", async () => {
  const home = {
    changeNumber: 3,
    practice: 0,
    boards: [],
    competitions: [],
    availabilities: onlineFor(),
    now: NOW,
    visit: ANONYMOUS,
  };
  const page = await homePage({ ...home, server: "http://kernels.example.org" });
  expect(page).toContain('href="/docs/guides/use-the-command-line#install"');
  expect(page).toContain("curl -fsSL http://kernels.example.org/install.sh | sh");
});

test("a competition shows the time left, its boards and who can read the code", async () => {
  const board = {
    board: "vectoradd",
    set: "pmpp",
    target: "cpu",
    entries: 0,
    leader: null,
    team: null,
    bestNs: null,
    unsandboxed: false,
    freeze: null,
  };
  const page = textOf(
    await competitionPage({
      data: null,
      links: [],
      competition: COMPETITION,
      boards: [board],
      teams: [],
      changeNumber: 3,
      now: NOW,
      visit: ANONYMOUS,
    }),
  );
  expect(page).toMatch(/Spring kernels 5 days left .*Leaderboards .*vectoradd/);
  expect(page).toContain("The code on its leaderboards is public once the competition has ended.");
  expect(page).toContain("Organisers olga");
});

test("a competition with teams lists them and links to their page", async () => {
  const competition = { ...COMPETITION, teamSize: 3 };
  const teams = [{ id: 1, name: "Fast ones", members: [{ id: "a", name: "ada" }], code: "0".repeat(32) }];
  const page = textOf(
    await competitionPage({
      competition,
      boards: [],
      teams,
      data: null,
      links: [],
      changeNumber: 3,
      now: NOW,
      visit: ANONYMOUS,
    }),
  );
  expect(page).toMatch(/Up to 3 members\. .* Fast ones ada Create, join or leave a team/);
  expect(page).not.toContain("0".repeat(32));
});

test("the source page escapes the source", async () => {
  const submission = submissionOf(PASSED);
  expect(textOf(await sourcePage({ submission, source: "a < b\n", visit: ANONYMOUS }))).toContain("a &lt; b");
});

test.each([
  ["not_found", "Not found"],
  ["forbidden", "Request rejected"],
  ["internal", "Something went wrong"],
  ["unavailable", "Temporarily unavailable"],
] as const)("the error page for %s is headed %s, and offers to sign in where that may help", async (code, heading) => {
  const page = await errorPage({ code, message: "why", visit: ANONYMOUS });
  expect(page).toContain(`<h1>${heading}</h1>`);
  expect(page.includes('<a href="/sign-in">Sign in</a>')).toBe(
    heading === "Not found" || heading === "Request rejected",
  );
});

test("the page header shows the account, or a sign-in link", async () => {
  const pageFor = (visit: Visit) => errorPage({ code: "bad_request", message: "no", visit });
  expect(await pageFor(visitBy("ada"))).toContain('<a href="/account" class="account-link">ada</a>');
  expect(await pageFor(ANONYMOUS)).toContain(
    '<a href="/sign-in?next=%2Fsomewhere%3Fa%3D1" class="account-link">Sign in</a>',
  );
});

test("the last sign-in method cannot be unlinked", async () => {
  const [identity] = ACCOUNT.identities;
  if (identity === undefined) throw new Error("no identity");
  expect(textOf(await accountPage({ ...ACCOUNT, identities: [identity] }))).not.toContain("Unlink");
  expect(textOf(await accountPage({ ...ACCOUNT, identities: [identity, identity] }))).toContain("Unlink");
});

test("the token form offers the scopes of the account", async () => {
  const choices = async (scopes: typeof ACCOUNT.account.scopes) =>
    Array.from(
      (await accountPage({ ...ACCOUNT, account: { ...ACCOUNT.account, scopes } })).matchAll(
        /name="scope"\s+value="(\w+)"/g,
      ),
      ([, scope]) => scope,
    );
  expect(await choices(["submit", "read", "account"])).toEqual(["submit", "read", "account"]);
  expect(await choices(["read", "admin"])).toEqual(["read", "admin"]);
});

test("sessions show readable browser names", async () => {
  const browsers = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": "Firefox on Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0":
      "Edge on Windows",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1":
      "Safari on iOS",
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36": "Chrome on Android",
    "": "A browser",
  };
  for (const [browser, called] of Object.entries(browsers)) {
    const sessions = ACCOUNT.sessions.map((session) => ({ ...session, browser }));
    expect(textOf(await accountPage({ ...ACCOUNT, sessions }))).toContain(`${called} from`);
  }
});

test("a comparison shows the faster submission, the basis, the differences of the machines and the changed lines", async () => {
  const page = await comparePage({ ...FILES, compared: COMPARED });
  const text = textOf(page);
  expect(text).toContain("A (fast.py) is 1.250× as fast as B (slow.py) (95 % interval: 1.180× to 1.310×).");
  expect(text).toContain("The runs have no common reference, so the times on the same machine are compared.");
  expect(text).toContain("driver 580.1 none");
  expect(page).toMatch(
    /<tr class="removed">\s*<td class="line" data-line="2"><\/td>\s*<td class="line" data-line=""><\/td>/,
  );
  const keyword = '    <span class="tok-keyword">return</span>';
  expect(page).toContain(`<del><code>${keyword} fast(data)</code></del>`);
  expect(page).toContain(`<ins><code>${keyword} slow(data)</code></ins>`);
  expect(page.match(/class="point"/g)).toHaveLength(COMPARED.comparison.cases.length);
  expect(page).not.toMatch(/ style=|<style/);
});

test("identical and completely different sources are described in words", async () => {
  expect(textOf(await comparePage({ ...FILES, compared: { ...COMPARED, diff: [] } }))).toContain(
    "The sources are identical.",
  );
  expect(textOf(await comparePage({ ...FILES, compared: { ...COMPARED, diff: null } }))).toContain(
    "too little in common",
  );
});

test("a competition shows its freeze, earlier ends, participants and limits", async () => {
  const competition: Competition = {
    ...COMPETITION,
    ...{ freezeAt: "2026-03-01T12:00:00.000Z", revealAt: "2026-03-07T12:00:00.000Z", participants: "members" },
    limits: { testPerHour: 60, rankedPerHour: 10, profilePerHour: 0 },
    problems: [{ name: "vectoradd", targets: null, endsAt: "2026-03-04T12:00:00.000Z" }],
  };
  const shown = { data: null, links: [], boards: [], teams: [], changeNumber: 3, now: NOW, visit: ANONYMOUS };
  const page = textOf(await competitionPage({ ...shown, competition }));
  expect(page).toMatch(/Frozen since 2026-03-01 12:00 : later submissions are listed from 2026-03-07 12:00 UTC/);
  expect(page).toMatch(/Ends earlier vectoradd 2026-03-04 12:00 UTC/);
  expect(page).toContain("Only members can submit; join with an invite code.");
  expect(textOf(page)).toContain("Account limits Mode Submissions an hour test 60 ranked 10 profile closed");
  expect(textOf(await competitionPage({ ...shown, competition: COMPETITION }))).not.toMatch(
    /[Ff]r[eo]+ze|within an hour/,
  );
});

test("links to a page are shown with its title, its description and a picture, at absolute addresses", async () => {
  const visit = { ...ANONYMOUS, path: "/boards/sort/cpu?from=2" };
  const page = await shownBoard(BOARD, { visit });
  const content = (name: string) => new RegExp(`<meta property="${name}" content="([^"]*)"`).exec(page)?.[1];
  expect(content("og:url")).toBe("https://kernels.example.org/boards/sort/cpu");
  expect(decodeURIComponent(content("og:image") ?? "")).toMatch(
    /^https:\/\/kernels.example.org\/pictures\/\w+ on \w+: \d+ entr(y|ies)/,
  );
  expect(content("og:title")).toMatch(/ · KernelBot$/);
  expect(content("og:description")).toMatch(/entr(y|ies)/);
});
