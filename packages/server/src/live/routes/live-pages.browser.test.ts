/** The client script `live` in a real browser, against a server that the test controls. */
import { createServer, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { loadAssets } from "@kernelbot/web";
import { launchChromium, openPage } from "@kernelbot/testing/chromium.ts";

let browser: Browser;
let server: Server;
let url: string;
/** State of the server: the page, and the streams that follow it. */
let now: { status: number; body: string };
let streams: { response: ServerResponse; seen: string | undefined; path: string | undefined }[];
let page: Page;

beforeAll(async () => {
  const { paths, files } = await loadAssets();
  const island = paths.islands.live;
  server = createServer((request, response) => {
    const asset = files.get(request.url ?? "");
    if (asset !== undefined) return response.writeHead(200, { "content-type": asset.type }).end(asset.bytes);
    if (request.url?.startsWith("/updates")) {
      if (now.status !== 200) return response.writeHead(404).end();
      response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 10\n\n");
      const seen = request.headers["last-event-id"];
      return streams.push({ response, seen: seen?.toString(), path: request.url });
    }
    response.writeHead(now.status, { "content-type": "text/html" });
    return response.end(
      `<!doctype html><title>A page</title>${now.body}<script type="module" src="${island}"></script>`,
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => void (streams = []));

/** Opens a page with this content, which follows a stream. */
async function opened(parts: string): Promise<void> {
  say(parts);
  ({ page } = await openPage(browser, 400));
  await page.goto(url);
  await expect.poll(() => streams.length).toBe(1);
}

/** Changes the content of the page. */
function say(parts: string, live = "/updates?after=1"): void {
  now = { status: 200, body: `<main id="live" data-live="${live}">${parts}</main>` };
}

function tell(id: number): void {
  streams.at(-1)?.response.write(`id: ${id}\nevent: update\ndata: {}\n\n`);
}

const row = (name: string, time: string) => `<tr id="row-${name}"><th>${name}</th><td>${time}</td></tr>`;
const table = (...rows: string[]) => `<p>${rows.length} rows</p><table><tbody>${rows.join("")}</tbody></table>`;

test("changed parts are replaced, and unchanged elements are kept and moved", async () => {
  await opened(table(row("ann", "3"), row("bob", "4")));
  await page.evaluate(() => {
    for (const row of document.querySelectorAll("tr")) Object.assign(row, { known: true });
  });
  say(table(row("eve", "1"), row("bob", "2"), row("ann", "3")));
  tell(2);
  await page.getByText("3 rows").waitFor();
  const rows = await page.locator("tr").evaluateAll((all) => all.map((row) => [row.textContent, "known" in row]));
  expect(rows).toEqual([
    ["eve1", false],
    ["bob2", true],
    ["ann3", true],
  ]);
});

test("unfolded details stay open, and content drawn by an island stays until the server sends new data for it", async () => {
  const parts = (text: string, data: string) =>
    `<p>${text}</p><details><summary>More</summary>${text}</details><div id="chart">${data}</div>`;
  await opened(parts("one", "1 2 3"));
  await page.getByText("More").click();
  await page.evaluate(() => {
    document.getElementById("chart")?.replaceChildren("drawn");
    document.addEventListener("live:swapped", () => Object.assign(document.body.dataset, { swapped: "yes" }));
  });
  say(parts("two", "1 2 3"));
  tell(2);
  await page.locator("body[data-swapped]").waitFor();
  expect(await page.locator("details").getAttribute("open")).toBe("");
  expect(await page.locator("#live").innerText()).toMatch(/^two\s+More\s+two\s+drawn$/);
  say(parts("two", "1 2 3 4"));
  tell(3);
  await page.getByText("1 2 3 4").waitFor();
});

test("a dropped stream is resumed after the last event ID", async () => {
  await opened("<p>one</p>");
  tell(7);
  streams[0]?.response.end();
  await expect.poll(() => streams.length).toBe(2);
  expect(streams[1]?.seen).toBe("7");
  say("<p>two</p>");
  tell(8);
  await page.getByText("two").waitFor();
});

test("the stream is closed once the page is final or no longer accessible", async () => {
  await opened("<p>one</p>");
  say("<p>the end</p>", "no");
  const closed = once(streams[0]?.response as ServerResponse, "close");
  tell(2);
  await page.getByText("the end").waitFor();
  await closed;

  streams = [];
  await opened("<p>secret</p>");
  now = { status: 404, body: "<p>There is no such page.</p>" };
  const refused = once(streams[0]?.response as ServerResponse, "close");
  tell(2);
  await refused;
  expect(await page.locator("#live").getAttribute("data-live")).toBe("no");
});
