/**
 * Takes screenshots of every page, light and dark, in desktop and phone width, into `screenshots/`:
 *
 *     npm run screenshots                    # all pages
 *     npm run screenshots -- board home      # pages whose names begin with these
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { openClient } from "../packages/server/src/db/client.ts";
import { DATABASE_USER, socketPath } from "../packages/server/src/db/embedded/cluster.ts";
import { startEmbedded } from "../packages/server/src/db/embedded/embedded.ts";
import { launchChromium, openPage, settled, widerThanScreen } from "@kernelbot/testing/chromium.ts";
import { openShowcase, type OpenShowcase } from "@kernelbot/testing/showcase/open.ts";
import { addressOf, cookiesOf, PAGES, type PageExample } from "@kernelbot/testing/showcase/pages.ts";
import { temporaryDataDir } from "./processes.ts";

const FOLDER = resolve(import.meta.dirname, "../screenshots");
const WIDTHS = [1280, 360];
const THEMES = ["light", "dark"] as const;
/** Maximum height in pixels; the rest of a longer page repeats what is above. */
const MOST_HIGH = 6_000;

const prefixes = process.argv.slice(2);
const pages = PAGES.filter(({ name }) => prefixes.length === 0 || prefixes.some((word) => name.startsWith(word)));
if (pages.length === 0) {
  console.error(
    `there is no page whose name begins with ${prefixes.join(" or ")}; there are ${PAGES.map(({ name }) => name).join(", ")}`,
  );
  process.exit(2);
}

const dataDir = temporaryDataDir();
const storeFolder = mkdtempSync(join(tmpdir(), "kernelbot-artifacts-"));
const embedded = await startEmbedded(dataDir, () => undefined);
const { socketDirectory } = embedded;
let complaints = 0;
try {
  console.log("Filling a server with the showcase …");
  await using open = await openShowcase(newDatabase, storeFolder);
  const browser = await launchChromium();
  mkdirSync(FOLDER, { recursive: true });
  for (const example of pages) complaints += await pictures(browser, open, example);
  await browser.close();
} finally {
  await embedded.stop();
  for (const folder of [dataDir, storeFolder]) rmSync(folder, { recursive: true, force: true });
}
console.log(`${pages.length} pages are in ${FOLDER}; ${complaints} complaints`);
process.exit(complaints === 0 ? 0 : 1);

async function newDatabase(): Promise<string> {
  const name = `showcase_${randomBytes(4).toString("hex")}`;
  const admin = openClient({ path: socketPath(socketDirectory), user: DATABASE_USER, database: "postgres" });
  await admin.query(`create database ${name}`);
  await admin.end(1);
  return `postgres:///${name}?host=${socketDirectory}&user=${DATABASE_USER}`;
}

/** Takes the screenshots of a page. @returns the number of problems found. */
async function pictures(browser: Browser, open: OpenShowcase, example: PageExample): Promise<number> {
  const found: string[] = [];
  for (const width of example.width === undefined ? WIDTHS : [example.width]) {
    const { page, complaints } = await openPage(browser, width);
    // A page with its own width is for a display that does not scroll.
    if (example.width !== undefined) await page.setViewportSize({ width, height: (width * 9) / 16 });
    await page.context().addCookies(cookiesOf(example.visitor, open));
    const response = await page.goto(addressOf(example, open), { waitUntil: "load" });
    const status = response?.status() ?? 0;
    const expected = example.status ?? 200;
    if (status !== expected) found.push(`it answers ${status}`);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      await settled(page);
      const height = Math.min(MOST_HIGH, await page.evaluate(() => document.documentElement.scrollHeight));
      const path = join(FOLDER, `${example.name}.${colorScheme}.${width}.png`);
      await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width, height } });
    }
    const wider = await widerThanScreen(page);
    if (wider > 0) found.push(`${width}: ${wider} pixels wider than the screen`);
    // Browsers log every response with an error status, which is expected for some pages.
    found.push(...complaints.filter((text) => !text.includes(`status of ${expected} `)));
    await page.close();
  }
  console.log(`${found.length === 0 ? "✓" : "✗"} ${example.name}${found.map((text) => `\n    ${text}`).join("")}`);
  return found.length;
}
