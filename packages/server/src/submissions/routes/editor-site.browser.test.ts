/** Submitting in a real browser: by the form without scripts, and in the editor. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Identity } from "../../auth/identity.ts";
import { closeProblem } from "../../problems/close.ts";
import { syncProblems } from "../../problems/sync.ts";
import { beginSession } from "../../auth/sessions.ts";
import { listSubmissions, readSource, readSubmission } from "../views.ts";
import { launchChromium, openPage, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { WIDTHS } from "@kernelbot/testing/widths.ts";
import {
  claimed,
  passing,
  person,
  problemFiles,
  problemTree,
  reported,
  runner,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let browser: Browser;
let testServer: TestServer;
let box: Identity;

/** Opens the boards `double`, `triple`, and `both`, which also accepts C++. */
beforeAll(async () => {
  [browser, testServer] = await Promise.all([launchChromium(), openTestServer({ listening: true })]);
  const both = problemFiles((task) => `${task}languages: { py: , cpp: }\n`);
  await syncProblems(testServer.database, problemTree({ "set/both": { ...both, "task.h": "\n" } }));
  box = await runner(testServer.database);
});
afterAll(async () => {
  await browser.close();
  await testServer[Symbol.asyncDispose]();
});

const NO_SCRIPT = { javaScriptEnabled: false };
const SOURCE = "def custom_kernel(data):\n    return data";

async function signIn(page: Page, { account }: Identity): Promise<void> {
  const where = { address: "192.0.2.1", userAgent: "Browser/1" };
  const value = await testServer.database.db.transaction().execute((open) => beginSession(open, account.id, where));
  await page.context().addCookies([{ name: "kernelbot_session", value, url: testServer.url }]);
}

let people = 0;

/** Creates an account and a browser that is signed in and shows the editor. */
async function scene({ width = 1280, path = "/problems/double/submit", ...options }: Scene = {}) {
  const who = await person(testServer.database, `person-${(people += 1)}`);
  const opened = await openPage(browser, width, options);
  await signIn(opened.page, who);
  await opened.page.goto(testServer.url + path);
  return { who, ...opened };
}
type Scene = BrowserContextOptions & { width?: number; path?: string };

/** Returns the ids of an account's submissions, newest first. */
async function numbersOf(who: Identity): Promise<number[]> {
  return (await listSubmissions(testServer.database, who, { limit: 10 })).map(({ id }) => id);
}

/** Judges the latest submission of an account; `begun` is called when a runner has leased it. */
async function judge(who: Identity, begun: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  const [id] = await numbersOf(who);
  let run = await claimed(testServer.database, box);
  while ((await submissionOf(run.runId)) !== id) run = await claimed(testServer.database, box);
  await begun();
  await reported(testServer.database, box, run, passing("test"));
}

async function submissionOf(runId: number): Promise<unknown> {
  const [row] = await testServer.database.sql`select submission_id from run where id = ${runId}`;
  return row?.["submission_id"];
}

const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
const editor = (page: Page) => page.getByRole("textbox", { name: /^Source\. Tab indents/ });
const pane = (page: Page) => page.getByRole("region", { name: "Run" });
const alert = (page: Page, words: string | RegExp) => page.getByRole("alert").filter({ hasText: words });

/** Returns the text in the editor. */
async function written(page: Page): Promise<string> {
  return (await page.locator(".cm-line").allTextContents()).join("\n");
}

test.each(WIDTHS)("without script a file is submitted with the form, %i pixels wide", async (width) => {
  const { who, page, complaints } = await scene({ width, ...NO_SCRIPT });
  expect(await page.getByLabel("Source").inputValue()).toContain("def custom_kernel(data):");
  await page.getByLabel("or upload a file").setInputFiles(file("fast.py", SOURCE));
  await page.getByLabel("H100").check();
  await page.getByLabel("Author").selectOption("Model only");
  await page.getByLabel("Model, if one was used").fill("M");
  await page.getByLabel("Publication licence").selectOption("MIT");
  expect(await page.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth)).toBe(0);
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  await page.waitForURL(/\/submissions\/\d+$/);
  const [id = 0] = await numbersOf(who);
  expect(page.url()).toBe(`${testServer.url}/submissions/${id}`);
  expect(await readSource(testServer.database, id)).toBe(SOURCE);
  expect(await readSubmission(testServer.database, id)).toMatchObject({
    mode: "ranked",
    fileName: "fast.py",
    author: { kind: "autonomous", model: "M" },
    licence: "MIT",
    runs: [{ target: "cpu" }, { target: "H100" }],
  });
  expect(complaints).toEqual([]);
});

test("a rejected form keeps its values and shows the error, and can be corrected and submitted", async () => {
  const { who, page } = await scene(NO_SCRIPT);
  const test = page.getByRole("button", { name: "Test" });
  await page.getByLabel("Source").fill("\n<b>mine</b>");
  await page.getByLabel("File name").fill("kernel.rb");
  await page.getByLabel("Model, if one was used").fill("M");
  await test.click();
  await alert(page, "double takes .py files").waitFor();
  expect(await page.getByLabel("File name").inputValue()).toBe("kernel.rb");
  await page.getByLabel("File name").fill("kernel.py");
  await test.click();
  await alert(page, "an author of the kind undeclared has none").waitFor();
  await page.getByLabel("Model, if one was used").fill("");
  await page.getByLabel("or upload a file").setInputFiles(file("big.py", "x".repeat(1_000_001)));
  await test.click();
  await alert(page, "the file is larger than 1,000,000 bytes").waitFor();
  expect(await numbersOf(who)).toEqual([]);
  await test.click();
  await page.waitForURL(/\/submissions\/\d+$/);
  expect(await readSource(testServer.database, (await numbersOf(who))[0] ?? 0)).toBe("\n<b>mine</b>");
});

test("a form that is sent twice creates one submission, and two if it changed in between", async () => {
  const { who, page } = await scene(NO_SCRIPT);
  const key = await page.locator("[name=key]").inputValue();
  const [cookie] = await page.context().cookies();
  const send = async (source: string) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ key, source, fileName: "kernel.py", target: "cpu", mode: "test" }))
      body.set(name, value);
    const headers = { origin: testServer.url, cookie: `${cookie?.name}=${cookie?.value}` };
    const answer = await fetch(page.url(), { method: "POST", body, headers, redirect: "manual" });
    expect(answer.status).toBe(303);
    return Number(answer.headers.get("location")?.split("/").at(-1));
  };
  const [first, ...again] = await Promise.all([send(SOURCE), send(SOURCE), send(SOURCE)]);
  expect(again).toEqual([first, first]);
  const changed = await send(`${SOURCE}#`);
  expect(await numbersOf(who)).toEqual([changed, first]);
});

test("the editor opens with the viewer's own source, and not with that of another account", async () => {
  const { who, page } = await scene(NO_SCRIPT);
  const { database } = testServer;
  const mine = await submitted(database, who, { source: "# mine\n", fileName: "mine.py", targets: ["H100"] });
  const foreign = await submitted(database, await person(database, "another"), { source: "# foreign\n" });
  await page.goto(`${testServer.url}/problems/both/submit?from=${mine}`);
  expect(await page.getByLabel("Source").inputValue()).toBe("# mine\n");
  expect(await page.getByLabel("File name").inputValue()).toBe("mine.py");
  expect(await page.getByLabel("H100").isChecked()).toBe(true);
  expect((await page.goto(`${testServer.url}/problems/double/submit?from=${foreign}`))?.status()).toBe(404);
});

test("the editor of a closed board shows the closing time, and accepts submissions that are not ranked", async () => {
  await closeProblem(testServer.database, await person(testServer.database, "root", ["admin"]), "triple");
  const { page } = await scene({ path: "/problems/triple/submit", ...NO_SCRIPT });
  expect(await page.getByRole("button", { name: "Submit", exact: true }).isDisabled()).toBe(true);
  await page.getByText(/Closed since \d{4}-/).waitFor();
  await page.getByRole("button", { name: "Benchmark" }).click();
  await page.waitForURL(/\/submissions\/\d+$/);
});

test.each(WIDTHS)(
  "a kernel is written, tested, followed to its verdict, reopened and compared, %i pixels wide",
  async (width) => {
    const { who, page, complaints } = await scene({ width });
    const earlier = await submitted(testServer.database, who, { source: "# earlier\n" });
    await editor(page).fill(SOURCE);
    await page.keyboard.press("Control+Enter");
    await pane(page).getByText("Queued", { exact: true }).waitFor();
    // The live status resumes after the connection is restored.
    await page.context().setOffline(true);
    await judge(who, async () => {
      await page.context().setOffline(false);
      await pane(page).getByText("Running").waitFor();
    });
    await pane(page).getByRole("status").getByText("Passed").waitFor();
    const [id = 0] = await numbersOf(who);
    expect(await readSource(testServer.database, id)).toBe(SOURCE);
    const link = pane(page).getByRole("link", { name: `Submission ${id}` });
    expect(await link.getAttribute("href")).toBe(`/submissions/${id}`);
    expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);

    const history = page.getByRole("region", { name: "Your submissions" });
    await history.getByText("Passed").waitFor();
    await history.getByRole("link", { name: "Edit again" }).last().click();
    await page.getByText(`This is the source of submission ${earlier}.`).waitFor();
    expect(await written(page)).toBe("# earlier\n");
    await editor(page).press("Control+z");
    expect(await written(page)).toBe(SOURCE);
    expect(complaints.filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
    await history.getByRole("button", { name: "Compare two" }).click();
    await page.waitForURL(`${testServer.url}/compare/${id}/${earlier}`);
  },
);

test("a run continues without its page, is shown when the page is reopened, and can be cancelled there", async () => {
  const { who, page } = await scene();
  await editor(page).fill(SOURCE);
  await page.keyboard.press("Control+Shift+Enter");
  await pane(page).getByText("Queued", { exact: true }).waitFor();
  expect(await readSubmission(testServer.database, (await numbersOf(who))[0] ?? 0)).toMatchObject({ mode: "ranked" });
  await page.reload();
  await pane(page).getByRole("button", { name: "Cancel" }).click();
  await pane(page).getByRole("status").getByText("Cancelled").waitFor();
  expect(await pane(page).getByRole("button", { name: "Cancel" }).count()).toBe(0);
});

test("a double click, or a retry after a lost connection, creates one submission", async () => {
  const { who, page } = await scene();
  const button = page.getByRole("button", { name: "Test" });
  await editor(page).fill(SOURCE);
  // The submission is accepted, but the response is lost.
  await page.route("**/problems/double/submit", async (route) => {
    if (route.request().method() === "POST") await route.fetch({ maxRedirects: 0 });
    await route.abort();
  });
  await button.click();
  await alert(page, "the source will not be submitted twice").waitFor();
  await page.unroute("**/problems/double/submit");
  await button.dblclick();
  await pane(page).getByText("Queued", { exact: true }).waitFor();
  expect(await page.getByRole("alert").textContent()).toBe("");
  const [first, ...others] = await numbersOf(who);
  expect(others).toEqual([]);
  // Pressing the button once more creates another submission.
  await button.click();
  await pane(page)
    .getByRole("link", { name: "Submission" })
    .filter({ hasNotText: String(first) })
    .waitFor();
  expect(await numbersOf(who)).toHaveLength(2);
});

test("a draft that is written before signing in is kept, and can be discarded", async () => {
  const { page } = await openPage(browser, 1280);
  const path = "/problems/both/submit";
  await page.goto(testServer.url + path);
  await page.getByLabel("File name").fill("fast.cpp");
  await editor(page).fill("// mine");
  await page.getByText("Draft saved in this browser.").waitFor();
  await page.keyboard.press("Control+Enter");
  await alert(page, "Sign in to submit").waitFor();
  const link = page.getByRole("link", { name: "Sign in to submit" });
  const next = new URL((await link.getAttribute("href")) ?? "", testServer.url).searchParams.get("next");
  expect(next).toBe(`${path}?language=cpp`);

  await signIn(page, await person(testServer.database, "newcomer"));
  await page.goto(`${testServer.url}${next}`);
  expect(await written(page)).toBe("// mine");
  await page.getByRole("button", { name: "Discard draft" }).click();
  expect(await written(page)).not.toContain("mine");
  await page.reload();
  expect(await written(page)).not.toContain("mine");
});

test("a session that ended while typing keeps the text and offers to sign in", async () => {
  const { page } = await scene();
  await editor(page).fill(SOURCE);
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Test" }).click();
  await alert(page, "You are not signed in").waitFor();
  await page.getByRole("link", { name: "Sign in to submit" }).waitFor();
  expect(await written(page)).toBe(SOURCE);
});

test("Tab indents, and after Escape leaves the editor", async () => {
  const { page } = await scene();
  await editor(page).fill("x");
  await page.keyboard.press("Home");
  await page.keyboard.press("Tab");
  expect(await written(page)).toBe("    x");
  await page.getByRole("button", { name: "Discard draft" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  expect(await page.locator(":focus").textContent()).toBe("Discard draft");
});

test("a file is loaded with its name and language, and a file that is not text is rejected", async () => {
  const { page, complaints } = await scene({ path: "/problems/both/submit" });
  const input = page.getByLabel("or upload a file");
  await input.setInputFiles(file("fast.cpp", "int main() { return 0; } // fast\n"));
  await page.getByText("This is fast.cpp.").waitFor();
  expect(await page.getByLabel("File name").inputValue()).toBe("fast.cpp");
  await page.locator(".tok-comment", { hasText: "// fast" }).waitFor();
  await page.getByText("33 of 1,000,000 bytes").waitFor();
  const executable = Buffer.from("\x7fELF\x02\x01\x01\0\xff", "latin1");
  await input.setInputFiles({ name: "a.out", mimeType: "application/octet-stream", buffer: executable });
  await alert(page, "a.out: the file is binary").waitFor();
  await input.setInputFiles({ ...file("b.cpp", ""), buffer: Buffer.from("\ufeffint x;", "utf16le") });
  await alert(page, "b.cpp: the file is UTF-16 text").waitFor();
  expect(await written(page)).toContain("// fast");
  expect(complaints).toEqual([]);
});
