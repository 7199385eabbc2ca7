/** The transcript on the page of a submission, in a real browser over a real server. */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EvaluationRequest } from "@kernelbot/core";
import type { Identity } from "../../auth/identity.ts";
import { launchChromium, openPage, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { WIDTHS } from "@kernelbot/testing/widths.ts";
import { claimed, failing, passing, person, reported, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { signedIn } from "@kernelbot/testing/signed-in.ts";
import { createEvaluation } from "../create.ts";
import { DEFAULT_EVALUATION_LIMITS } from "../limits.ts";
import { attachTranscript } from "../sessions/attach.ts";
import { addNote } from "../sessions/notes.ts";
import { openSession } from "../sessions/sessions.ts";

const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title="owned"</script>`;
const LONG = "x".repeat(500);

let browser: Browser;
let server: TestServer;
let ann: Identity;
/** A public entry of ann, whose source is not public, with a transcript. */
let entry: number;

beforeAll(async () => {
  browser = await launchChromium();
  server = await openTestServer({ listening: true });
  const { database } = server;
  ann = await person(database, "ann");
  const box = await runner(database);
  const where = { problem: "double", target: "cpu" };
  const { id: session } = await openSession(database, ann, { ...where, maxEvaluations: 5, maxSeconds: 600 });
  await addNote(database, ann, session, { text: `${HOSTILE}\n${LONG}` });
  const judged = [
    [`# ${HOSTILE} ${LONG}\n`, failing("crash", `${HOSTILE} ${LONG}`)],
    ["x = 2\n", passing("reward", [250, 250])],
    ["x = 3\n", passing("reward", [200, 200])],
  ] as const;
  for (const [code, events] of judged) {
    const request = EvaluationRequest.parse({ ...where, code, session });
    await createEvaluation(database, ann, request, { limits: DEFAULT_EVALUATION_LIMITS });
    await reported(database, box, await claimed(database, box), [...events]);
  }
  entry = await submitted(database, ann, { mode: "ranked" });
  await reported(database, box, await claimed(database, box), passing("ranked"));
  await attachTranscript(database, ann, entry, session);
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

test.each(WIDTHS)("each step unfolds its feedback and code as plain text, %i pixels wide", async (width) => {
  const { page, complaints } = await signedIn(browser, server, ann, { width });
  await page.goto(`${server.url}/submissions/${entry}`);
  const section = page.locator("#transcript");
  expect(await section.textContent()).toMatch(/3 evaluations in\s+\d+ s,\s+best speedup\s+5\.000×/);
  expect(await section.locator("figure").count()).toBe(1);
  for (const words of [/^\s*Evaluation \d/, /^\s*Code/]) {
    for (const summary of await section.locator("summary", { hasText: words }).all()) await unfold(summary);
  }
  const text = await section.innerText();
  for (const shown of [`${HOSTILE}\n${LONG}`, `# ${HOSTILE}`, "failed: crash", "x = 2"]) expect(text).toContain(shown);
  expect(await page.title()).not.toBe("owned");
  expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
  expect(complaints).toEqual([]);
});

/** Clicks a summary until it is open: while fonts load, the page moves, and a click can meet another one. */
async function unfold(summary: Locator): Promise<void> {
  const isOpen = async () => (await summary.locator("..").getAttribute("open")) !== null;
  const click = async () => (await isOpen()) || (await summary.click(), await isOpen());
  await expect.poll(click).toBe(true);
}

test("visitors who may not read the source see no transcript", async () => {
  const { page } = await openPage(browser, 1280);
  expect((await page.goto(`${server.url}/submissions/${entry}`))?.status()).toBe(200);
  expect(await page.locator("#transcript").count()).toBe(0);
});
