/** Visits to the pages of the showcase, in a real browser. */
import type { Browser, Page } from "playwright-core";
import { settled } from "../chromium.ts";
import type { Visitor } from "./example.ts";
import type { OpenShowcase } from "./open.ts";
import { addressOf, cookiesOf, type PageExample } from "./pages.ts";

interface Visited extends Disposable {
  page: Page;
  status: number;
  /** HTML as sent by the server. */
  html: string;
  /** Errors and warnings of the console, and uncaught errors. */
  complaints: string[];
  /** Requests to other origins. */
  foreign: string[];
}

export type Visit = (example: PageExample, width: number) => Promise<Visited>;

/** Returns a function that opens an example in a window of this width. */
export function visitsOf(open: OpenShowcase, browser: Browser): Visit {
  /** Tab of each visitor, reused for all pages: shared assets are fetched and scripts are compiled only once. */
  const tabs = new Map<Visitor, Promise<Page>>();

  function tabOf(visitor: Visitor): Promise<Page> {
    const made =
      tabs.get(visitor) ??
      browser.newContext().then(async (context) => {
        await context.addCookies(cookiesOf(visitor, open));
        return context.newPage();
      });
    tabs.set(visitor, made);
    return made;
  }

  return async (example, width) => {
    const { visitor, status = 200, world = "full" } = example;
    const page = await tabOf(visitor);
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    const complaints: string[] = [];
    const foreign: string[] = [];
    page.on("console", (message) => {
      // Browsers log an error for each error status, which some pages return intentionally.
      const isAnswer = message.text().includes(`status of ${status} `) && status !== 200;
      if (["error", "warning"].includes(message.type()) && !isAnswer) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && origin !== open.urls[world]) foreign.push(request.url());
    });
    const response = await page.goto(addressOf(example, open));
    await settled(page);
    return {
      page,
      status: response?.status() ?? 0,
      html: (await response?.text()) ?? "",
      complaints,
      foreign,
      [Symbol.dispose]() {
        for (const event of ["console", "pageerror", "request"] as const) page.removeAllListeners(event);
      },
    };
  };
}
