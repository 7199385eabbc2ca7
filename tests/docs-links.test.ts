/** Every relative link of the documentation leads to a file or a heading that exists. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";

const ROOT = resolve(import.meta.dirname, "..");
const PAGES = globSync(["{features/*/,}docs/**/*.md", "*.md"], { cwd: ROOT });
/** Sources whose comments, messages and pages refer readers to a page of the documentation. */
const SOURCES = globSync(
  ["{features,packages,tester,scripts,deploy,bench,tests,.github}/**/*.{ts,mjs,py,yml,md,sql}"],
  {
    cwd: ROOT,
    exclude: ["**/node_modules/**", "**/build/**", "features/*/docs/**", "tests/docs-links.test.ts"],
  },
);

/** Names of the optional features that each needs. */
const { NEEDS } = z
  .object({ NEEDS: z.record(z.string(), z.array(z.string())) })
  .parse(await import(join(ROOT, ".dependency-cruiser.js")));

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

function withoutCode(text: string): string {
  return text.replace(/^( *)(```+)[^`\n]*\n[\s\S]*?^\1\2 *$/gm, "").replace(/`[^`\n]*`/g, "``");
}

/** Returns the anchors that GitHub gives to the headings of a page. */
function anchorsOf(file: string): Set<string> {
  const anchors = new Set<string>();
  const headings = read(file)
    .replace(/^( *)(```+)[^`\n]*\n[\s\S]*?^\1\2 *$/gm, "")
    .matchAll(/^#{1,6} +(.+?) *$/gm);
  for (const [, heading = ""] of headings) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns the links of a page to other files and headings. */
function linksOf(page: string): string[] {
  const links = Array.from(withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link);
  return links.filter((link) => !/^[a-z]+:/i.test(link));
}

/** Returns the file that a link of a page leads to. */
function targetOf(page: string, link: string): string {
  const [path = ""] = link.split("#");
  return path === "" ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
}

/** Returns why a link of a page is broken; null when it is not. */
function fault(page: string, link: string): string | null {
  const file = targetOf(page, link);
  const [, anchor] = link.split("#");
  if (!existsSync(join(ROOT, file))) return `${page}: ${link}: there is no file ${file}`;
  if (anchor === undefined || !file.endsWith(".md")) return null;
  return anchorsOf(file).has(anchor) ? null : `${page}: ${link}: there is no heading for it in ${file}`;
}

test("every relative link and anchor of a page exists", () => {
  const links = PAGES.flatMap((page) => linksOf(page).map((link) => fault(page, link)));
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter((each) => each !== null)).toEqual([]);
});

/** Whether a page or a source may refer to a file, since each feature can be deleted without those that do not need it. */
function mayName(file: string, path: string): boolean {
  const [own, feature] = [featureOf(file), featureOf(path)];
  if (feature === null || feature === own || file === "README.md") return true;
  return own !== null && (NEEDS[own] ?? []).includes(feature);
}

function featureOf(file: string): string | null {
  return /^features\/([^/]+)\//.exec(file)?.[1] ?? null;
}

test("no page but the README links to a feature that can be deleted without it", () => {
  const links = PAGES.flatMap((page) => linksOf(page).map((link) => ({ page, target: targetOf(page, link) })));
  expect(links.filter(({ page, target }) => !mayName(page, target))).toEqual([]);
});

test("every page that a comment or a message names exists, and cannot be deleted without it", () => {
  const named = [...SOURCES, ...PAGES].flatMap((file) =>
    Array.from(
      read(file).matchAll(/(?<![\w./-])(?:\.\.\/)*((?:features\/[\w-]+\/)?docs\/[\w/-]+\.(?:md|json))\b/g),
      ([, path = ""]) => ({ file, path }),
    ),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ file, path }) => !existsSync(join(ROOT, path)) || !mayName(file, path))).toEqual([]);
});

test("every page of the site has an address of its own, and every address that a source names leads to one", () => {
  const addresses = PAGES.filter((page) => page.includes("/")).map((page) => [addressOf(page), page] as const);
  const pages = new Map(addresses);
  expect(addresses.filter(([address, page]) => pages.get(address) !== page)).toEqual([]);
  const named = SOURCES.filter((file) => !file.endsWith(".test.ts")).flatMap((file) =>
    Array.from(
      read(file).matchAll(/(?<![\w.-])\/docs\/(?:start|guides|reference|explanation)\/[\w-]+/g),
      ([address]) => ({ file, page: pages.get(address) ?? address }),
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ file, page }) => page.startsWith("/") || !mayName(file, page))).toEqual([]);
});

/** Returns the address on the site of a page below `docs` or a feature's `docs`. */
function addressOf(page: string): string {
  return page.replace(/^(?:features\/[^/]+)?\/?docs\//, "/docs/").replace(/\.md$/, "");
}

test("a broken link and a missing heading are found", () => {
  expect(fault("docs/adr/README.md", "missing.md")).toContain("there is no file docs/adr/missing.md");
  expect(fault("docs/adr/README.md", "#missing")).toContain("there is no heading");
  expect(fault("docs/adr/README.md", "#architecture-decision-records")).toBeNull();
});
