import { rmSync } from "node:fs";
import { median } from "@kernelbot/core";
import type { Browser } from "playwright-core";
import { openDatabase } from "../packages/server/src/db/database.ts";
import { launchChromium, settled } from "@kernelbot/testing/chromium.ts";
import { startServer, temporaryDataDir } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";

const ENTRIES = 10_000;
const VISITS = 5;
/** First and last page of the board. */
const PAGES = ["/boards/vectoradd/cpu", "/boards/vectoradd/cpu?from=9801"];

/** Measurements of one page visit. */
interface Visit {
  firstRowMs: number;
  longestTaskMs: number;
  scriptBytes: number;
  pageBytes: number;
}

/**
 * Measures the board of 10,000 entries in a fresh browser, on a warm server: when the first row is painted, the longest
 * task while scrolling through the rows of the page, and the compressed transfer size.
 */
export const site: Bench = async () => {
  const dataDir = temporaryDataDir();
  try {
    // The server creates the database and its problems.
    await (await startServer({ dataDir }))[Symbol.asyncDispose]();
    await fill(dataDir);
    await using server = await startServer({ dataDir });
    const browser = await launchChromium();
    const visits: Visit[] = [];
    try {
      for (let number = 0; number <= VISITS; number += 1) {
        for (const path of PAGES) {
          const visit = await visited(browser, server.url + path);
          if (number > 0) visits.push(visit);
        }
      }
    } finally {
      await browser.close();
    }
    const of = (what: keyof Visit): number[] => visits.map((visit) => visit[what]);
    return [
      { name: "site, first row painted, median", value: median(of("firstRowMs")), unit: "ms" },
      { name: "site, first row painted, slowest", value: Math.max(...of("firstRowMs")), unit: "ms" },
      { name: "site, longest task of a scroll", value: Math.max(...of("longestTaskMs")), unit: "ms" },
      { name: "site, script of the board", value: Math.max(...of("scriptBytes")) / 1000, unit: "kB" },
      { name: "site, page of the board", value: Math.max(...of("pageBytes")) / 1000, unit: "kB" },
    ];
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
};

/** Creates entries whose times differ by a thousandth, of accounts with three submissions each. */
async function fill(dataDir: string): Promise<void> {
  const database = await openDatabase({ dataDir });
  try {
    await database.sql`
      insert into account (id, name)
      select 'account-' || n, 'participant ' || n from generate_series(1, ${ENTRIES}::integer) n`;
    await database.sql`insert into code (hash, source) values (sha256('x'), 'x')`;
    await database.sql`
      with submitted as (
        insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, idempotency_key,
          request_hash, author_kind, model, created_at)
        select 'account-' || n, 'vectoradd', problem.version, 'ranked', 'kernel_' || n % 97 || '.py', sha256('x'),
          'try-' || try, sha256(''), (array['human', 'assisted', 'autonomous', 'undeclared'])[1 + n % 4],
          case when n % 4 in (1, 2) then 'Model ' || n % 7 end, now() - (3 * n % 9973) * interval '5 minutes' - try * interval '1 hour'
        from problem, generate_series(1, ${ENTRIES}::integer) n, generate_series(0, 2) try where problem.name = 'vectoradd'
        returning *
      ), timed as (
        select *, 2000 * exp(substr(account_id, 9)::float8 / 1000) * (1 + 0.1 * substr(idempotency_key, 5)::float8) as ns
        from submitted
      )
      insert into run (submission_id, account_id, problem_version, target, mode, state, verdict, tag, created_at, finished_at,
        time_ns, time_low_ns, time_high_ns, speedup, speedup_low, speedup_high, case_times_ns, speed_of_light_share,
        ranked_by, ranked_value, ranked_low, ranked_high)
      select id, account_id, problem_version, 'cpu', 'ranked', 'done', 'passed', 0, created_at, now(),
        ns, ns * 0.99, ns * 1.01, 1e5 / ns, 0.9e5 / ns, 1.1e5 / ns, array[ns / 2, ns, ns * 2], 1000 / ns,
        'speedup', 1e5 / ns, 0.9e5 / ns, 1.1e5 / ns
      from timed`;
    await database.sql`vacuum analyze`;
  } finally {
    await database.close();
  }
}

async function visited(browser: Browser, url: string): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  try {
    await page.addInitScript(watch);
    const sizes = { script: 0, document: 0 };
    const notified: Promise<void>[] = [];
    page.on("requestfinished", (request) => {
      const kind = request.resourceType();
      if (kind !== "script" && kind !== "document") return;
      notified.push(request.sizes().then(({ responseBodySize }) => void (sizes[kind] += responseBodySize)));
    });
    await page.goto(url, { waitUntil: "load" });
    await page.locator("#progress .u-over").waitFor();
    await settled(page);
    const longestTaskMs = await page.evaluate(scrollThrough);
    const firstRowMs = await page.evaluate(() => Number(document.documentElement.dataset["firstRowMs"]));
    await Promise.all(notified);
    return { firstRowMs, longestTaskMs, scriptBytes: sizes.script, pageBytes: sizes.document };
  } finally {
    await page.close();
  }
}

/**
 * Injected into the page before its scripts: records when the browser has painted the first row, with the Element
 * Timing API.
 */
function watch(): void {
  const rows = new MutationObserver(() => {
    const participant = document.querySelector(".ranking tbody .participant");
    if (participant === null) return;
    rows.disconnect();
    participant.setAttribute("elementtiming", "first-row");
  });
  rows.observe(document, { childList: true, subtree: true });
  const painted = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      // TypeScript's DOM library lacks the type of these entries.
      const { renderTime } = entry as PerformanceEntry & { renderTime: number };
      document.documentElement.dataset["firstRowMs"] ??= String(renderTime);
    }
  });
  painted.observe({ type: "element", buffered: true });
}

/**
 * Runs in the page: scrolls to the end at the speed of a held Page Down key, 30 screens per second. @returns the
 * longest task in milliseconds; 0 when none took 50 ms or more.
 */
async function scrollThrough(): Promise<number> {
  let longest = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  observer.observe({ entryTypes: ["longtask"] });
  const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
  while (scrollY + innerHeight < document.documentElement.scrollHeight - 1) {
    scrollBy(0, innerHeight / 2);
    await frame();
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  observer.disconnect();
  return longest;
}
