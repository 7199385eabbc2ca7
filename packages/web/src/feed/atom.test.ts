import { expect, test } from "vitest";
import { atomFeed, FEED_ENTRIES, type FeedEntry } from "./atom.ts";

function entry(change: Partial<FeedEntry> = {}): FeedEntry {
  return {
    ...{ id: "https://x.example/a#1", title: "A", page: "https://x.example/a", summary: "S", author: null },
    ...{ updatedAt: "2026-01-01T00:00:00.000Z", ...change },
  };
}

function feed(entries: readonly FeedEntry[]): Promise<string> {
  const url = "https://x.example/feed.atom";
  return atomFeed({ url, title: "F", page: "https://x.example/", updatedAt: "2020-01-01T00:00:00.000Z", entries });
}

test("a feed has its newest entries first, and the time of the newest one", async () => {
  const entries = Array.from({ length: FEED_ENTRIES + 1 }, (_, at) =>
    entry({ id: `https://x.example/a#${at}`, updatedAt: new Date(Date.UTC(2026, 0, 1 + at)).toISOString() }),
  );
  const text = await feed(entries);
  const ids = Array.from(text.matchAll(/<id>.*#(\d+)<\/id>/g), ([, id]) => Number(id));
  expect(ids).toEqual(Array.from({ length: FEED_ENTRIES }, (_, at) => FEED_ENTRIES - at));
  expect(/<updated>(.*?)<\/updated>/.exec(text)?.[1]).toBe(entries.at(-1)?.updatedAt);
  expect(await feed([])).toContain("<updated>2020-01-01T00:00:00.000Z</updated>");
});

test("names cannot add elements, and characters that XML does not allow are removed", async () => {
  const text = await feed([entry({ author: "</name></author><x>&\u0007\u{ffff}\ud800\u001b[31m", title: '"<b>"' })]);
  expect(text).toContain("<author><name>&lt;/name&gt;&lt;/author&gt;&lt;x&gt;&amp;\u{fffd}</name></author>");
  expect(text).toContain("<title>&quot;&lt;b&gt;&quot;</title>");
  expect(text.startsWith('<?xml version="1.0" encoding="utf-8"?>\n<feed')).toBe(true);
});
