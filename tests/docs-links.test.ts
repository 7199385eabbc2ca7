/** Every relative link of the documentation leads to a file or a heading that exists. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const PAGES = globSync(["docs/**/*.md", "*.md"], { cwd: ROOT });
/** Sources whose comments, messages and pages refer readers to a file below docs/. */
const SOURCES = globSync(["{packages,tester,scripts,deploy,bench,tests,.github}/**/*.{ts,mjs,py,yml,md,sql}"], {
  cwd: ROOT,
  exclude: ["**/node_modules/**", "**/build/**", "tests/docs-links.test.ts"],
});

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

/** Returns why a link of a page is broken; null when it is not. */
function fault(page: string, link: string): string | null {
  if (/^[a-z]+:/i.test(link)) return null;
  const [path = "", anchor] = link.split("#");
  const file = path === "" ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
  if (!existsSync(join(ROOT, file))) return `${page}: ${link}: there is no file ${file}`;
  if (anchor === undefined || !file.endsWith(".md")) return null;
  return anchorsOf(file).has(anchor) ? null : `${page}: ${link}: there is no heading for it in ${file}`;
}

test("every relative link and anchor of a page exists", () => {
  const links = PAGES.flatMap((page) =>
    Array.from(withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => fault(page, link)),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter((each) => each !== null)).toEqual([]);
});

test("every page of docs/ that a comment or a message names exists", () => {
  const named = [...SOURCES, ...PAGES].flatMap((file) =>
    Array.from(read(file).matchAll(/(?<![\w./-])(?:\.\.\/)*docs\/[\w/-]+\.(?:md|json)\b/g), ([path]) => ({
      file,
      path: path.replaceAll("../", ""),
    })),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("a broken link and a missing heading are found", () => {
  expect(fault("docs/adr/README.md", "missing.md")).toContain("there is no file docs/adr/missing.md");
  expect(fault("docs/adr/README.md", "#missing")).toContain("there is no heading");
  expect(fault("docs/adr/README.md", "#architecture-decision-records")).toBeNull();
});
