/** Starts a real browser for tests of the pages. */
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";

export async function launchChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing; node scripts/setup.mjs --test installs it`);
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--no-first-run",
    ],
  });
}

/** Opens a page in a new browser context, and collects its console errors and warnings. */
export async function openPage(
  browser: Browser,
  width: number,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, ...options });
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints };
}

/** Returns by how many pixels the page, or a table in it, overflows horizontally. */
export function widerThanScreen(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.max(
      ...[document.documentElement, ...document.querySelectorAll(".scroll, .summaries")].map(
        (part) => part.scrollWidth - part.clientWidth,
      ),
    ),
  );
}

/** Waits until fonts are loaded and scripts have rendered. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
    await frame();
    await frame();
  });
}

/** Longer words are names and identifiers, which may break anywhere. */
const MAX_WORD = 11;

/**
 * Returns the words of a page that are broken in the middle: of letters only, outside code, and with at most `MAX_WORD`
 * letters.
 */
export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate((most) => {
    const found = new Set<string>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || parent.closest("pre, code, script, svg, textarea, .katex, .visually-hidden, .cm-editor"))
        continue;
      if (!parent.checkVisibility()) continue;
      for (const { 0: word, index } of (node.nodeValue ?? "").matchAll(/(?<!\S)\p{L}+(?=[,.;:!?]*(?:\s|$))/gu)) {
        // Lines may end between any two characters of these scripts.
        if (word.length > most || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)) continue;
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)));
        if (lines.size > 1) found.add(word);
      }
    }
    return [...found];
  }, MAX_WORD);
}
