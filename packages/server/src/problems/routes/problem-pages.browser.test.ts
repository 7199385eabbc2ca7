/** The pages of problems over a real server: links, search, and formulas in a real browser. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { CompetitionSpec } from "@kernelbot/core";
import { createCompetition } from "../../competitions/change.ts";
import { syncProblems } from "../sync.ts";
import { launchChromium, openPage, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { inHours } from "@kernelbot/testing/competitions.ts";
import { person, problemFiles, problemTree, ranked, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

const FORMULAS = String.raw`
  Compute $\operatorname{softmax}(X)$ for \(X \in \mathbb{R}^{m \times n}\):

  $$ y_{ij} = \frac{\exp(x_{ij})}{\sum_{k=1}^{n} \exp(x_{ik})} + \left( \sum_{i=1}^{n} a_i b_i \right)^2 + \underbrace{abc}_{\text{constant}} + \sqrt{x} $$

  ${"```cuda"}
  __global__ void softmax(const float *x, int n);
  ${"```"}
`;

let testServer: TestServer;

/**
 * Creates problem softmax, with formulas and a starter, in a running competition; double and triple are for practice.
 */
beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  const { database } = testServer;
  const task = (text: string) =>
    text.replace("Doubles a vector.", () => `|\n${FORMULAS}`) + "templates: { Python: template.py }\n";
  const files = { ...problemFiles(task), "template.py": "def custom_kernel(data): ...\n", "<b>.py": "x = '</code>'\n" };
  const { broken } = await syncProblems(database, problemTree({ "deep/softmax": files }));
  expect(broken).toEqual([]);
  const organiser = await person(database, "olga", ["admin"]);
  await createCompetition(
    database,
    organiser,
    CompetitionSpec.parse({
      name: "spring",
      title: "Spring kernels",
      startsAt: inHours(-1),
      endsAt: inHours(1),
      problems: ["softmax"],
    }),
  );
  await ranked(database, await person(database, "ann"), await runner(database), 100);
});
afterAll(() => testServer[Symbol.asyncDispose]());

async function get(path: string) {
  const response = await testServer.ask(path);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test("the API returns what the page of a problem shows: boards, dates, competition and version", async () => {
  const client = testServer.client(await testServer.token("bob"));
  expect(await client.problem("double")).toMatchObject({
    ...{ set: "set", competition: null, opensAt: null, closesAt: null, openTargets: ["cpu", "H100"] },
    versionSince: expect.stringMatching(/^\d{4}-/) as string,
    boards: [
      { target: "cpu", entries: 1, leader: { name: "ann" } },
      { target: "H100", entries: 0, leader: null },
    ],
  });
  expect(await client.problem("softmax")).toMatchObject({
    competition: { name: "spring", title: "Spring kernels" },
    opensAt: expect.any(String) as string,
    closesAt: expect.any(String) as string,
  });
});

test.each([
  ["search=SOFTMAX", ["softmax"]],
  ["search=deep+real", []],
  ["search=deep+compute", ["softmax"]],
  ["search=a+vector", ["double", "triple"]],
  ["search=%25", []],
  ["search=&competition=", ["double", "softmax", "triple"]],
  ["competition=spring", ["softmax"]],
  ["search=doubles&competition=spring", []],
])("the list for %s contains %j", async (query, expected) => {
  const { status, text } = await get(`/problems?${query}`);
  expect(status).toBe(200);
  expect([...text.matchAll(/<a href="\/problems\/([^"]+)"/g)].map(([, name]) => name)).toEqual(expected);
});

test("a search that is too long is rejected with a message", async () => {
  const { status, text } = await get(`/problems?search=${"x".repeat(201)}`);
  expect(status).toBe(422);
  expect(text).toContain("search for at most 200 characters");
});

test("starters and files are downloaded as plain text, never as HTML", async () => {
  for (const [path, name, begin] of [
    ["starters/kernel.py", "kernel.py", "#!KERNELBOT board softmax\ndef custom_kernel"],
    ["files/%3Cb%3E.py?download=1", "%3Cb%3E.py", "x = '</code>'"],
  ] as const) {
    const { headers, text } = await get(`/problems/softmax/${path}`);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(headers.get("content-disposition")).toBe(`attachment; filename*=UTF-8''${name}`);
    expect(text.startsWith(begin)).toBe(true);
  }
});

test.each(["files/nothing.py", "files/__proto__", "starters/template.py", "files/..%2Ftask.yml"])(
  "%s is not found",
  async (path) => {
    expect((await get(`/problems/softmax/${path}`)).status).toBe(404);
  },
);

test("formulas render without console messages and fit a phone screen", async () => {
  const browser = await launchChromium();
  try {
    const { page, complaints } = await openPage(browser, 360);
    await page.goto(`${testServer.url}/problems/softmax`);
    expect(await page.locator("math").count()).toBe(3);
    const fraction = page.locator("mfrac").first();
    const [above, below] = await Promise.all([
      fraction.locator("> :first-child").boundingBox(),
      fraction.locator("> :last-child").boundingBox(),
    ]);
    expect(above?.y ?? 0).toBeLessThan(below?.y ?? 0);
    expect(await page.locator("[style]").count()).toBe(0);
    expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);

    await page.goto(`${testServer.url}/problems/softmax/files/task.yml#L4`);
    expect(await page.locator(":target").textContent()).toContain("softmax");
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});
