/** The documentation that the server serves: the folder `docs` of the checkout, rendered once per process. */
import { readdir, readFile } from "node:fs/promises";
import { setImmediate as letOthersRun } from "node:timers/promises";
import { extname } from "node:path";
import { renderDocument, type DocumentationPage } from "@kernelbot/web";
import { createSearch, type Search } from "./search.ts";

const FOLDER = new URL("../../../../docs/", import.meta.url);

/** Media types of the files that pages show or link to. */
const MEDIA_TYPES: Record<string, string> = {
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

interface DocumentationFile {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface Documentation {
  /** Pages by path below `/docs/`. */
  pages: ReadonlyMap<string, DocumentationPage>;
  /** Other files by path below `/docs/`. */
  files: ReadonlyMap<string, DocumentationFile>;
  search: Search;
}

let documentation: Promise<Documentation> | undefined;

/** Returns the documentation. The first call reads the files and renders the pages, which takes less than a second. */
export function getDocumentation(): Promise<Documentation> {
  return (documentation ??= readDocumentation());
}

async function readDocumentation(): Promise<Documentation> {
  const pages = new Map<string, DocumentationPage>();
  const files = new Map<string, DocumentationFile>();
  for (const file of (await readdir(FOLDER, { recursive: true })).toSorted()) {
    const type = MEDIA_TYPES[extname(file)];
    if (file.endsWith(".md")) {
      const page = await renderDocument(file, await readFile(new URL(file, FOLDER), "utf8"));
      pages.set(page.path, page);
      await letOthersRun();
    } else if (type !== undefined) {
      files.set(file, { type, bytes: Uint8Array.from(await readFile(new URL(file, FOLDER))) });
    }
  }
  return { pages, files, search: createSearch([...pages.values()]) };
}
