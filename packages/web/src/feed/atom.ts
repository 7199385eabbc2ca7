/** Atom 1.0 feeds (RFC 4287). */
import { sanitize } from "@kernelbot/core";
import { piece, type Html } from "../html.ts";

/** Maximum number of entries in a feed. */
export const FEED_ENTRIES = 50;

export interface Feed {
  /** Address of the feed, which is its id too. */
  url: string;
  title: string;
  /** Address of the page that the feed follows. */
  page: string;
  /** Time of the last change, where the feed has no entries. */
  updatedAt: string;
  /** In any order. */
  entries: readonly FeedEntry[];
}

export interface FeedEntry {
  /** Stable address that identifies the entry, also after its text or time changed. */
  id: string;
  title: string;
  /** Address of the page about it. */
  page: string;
  updatedAt: string;
  summary: string;
  /** Name of the person or team that it is about; null for news of the server. */
  author: string | null;
}

/** Renders a feed with its newest entries, the newest first. */
export async function atomFeed({ url, title, page, updatedAt, entries }: Feed): Promise<string> {
  const newest = entries.toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt)).slice(0, FEED_ENTRIES);
  const text = await piece`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${url}</id>
  <title>${plain(title)}</title>
  <updated>${newest[0]?.updatedAt ?? updatedAt}</updated>
  <author><name>KernelBot</name></author>
  <link rel="self" type="application/atom+xml" href="${url}"/>
  <link rel="alternate" type="text/html" href="${page}"/>
${newest.map(entry)}</feed>
`;
  return text.toString();
}

function entry({ id, title, page, updatedAt, summary, author }: FeedEntry): Html {
  return piece`  <entry>
    <id>${id}</id>
    <title>${plain(title)}</title>
    <updated>${updatedAt}</updated>
    ${author === null ? null : piece`<author><name>${plain(author)}</name></author>`}
    <link rel="alternate" type="text/html" href="${page}"/>
    <summary>${plain(summary)}</summary>
  </entry>
`;
}

/** Removes the characters that XML 1.0 does not allow, with the other invisible ones. */
function plain(text: string): string {
  return sanitize(text.toWellFormed()).replaceAll(/[\u{fffe}\u{ffff}]/gu, "");
}
