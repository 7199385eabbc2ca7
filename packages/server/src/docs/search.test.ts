import { renderDocument } from "@kernelbot/web";
import { expect, test } from "vitest";
import { createSearch } from "./search.ts";

const PAGES = [
  await renderDocument(
    "docs/guides/add-a-runner.md",
    "# Add a runner\n\nRunners claim runs.\n\n## Create a token\n\nA runner needs its own token.\n\n## Health\n\nMachines report their temperature.",
  ),
  await renderDocument(
    "docs/guides/sign-in-and-tokens.md",
    "# Sign in\n\n## Tokens for scripts\n\nA token has scopes and `KERNELBOT_TOKEN`.\n\n## Bans\n\nA banned account has no token.",
  ),
];
const search = createSearch(PAGES);
const titles = (query: string) => search(query, () => true).hits.map(({ section }) => section.title);

test("sections with a word in the heading come before sections with it in the text", () => {
  expect(titles("token")).toEqual(["Tokens for scripts", "Create a token", "Bans"]);
});

test("sections that contain all words hide those that contain some", () => {
  expect(titles("runner token")).toEqual(["Create a token"]);
  expect(titles("temperature scopes")).toEqual(expect.arrayContaining(["Health", "Tokens for scripts"]));
});

test("a question is searched for without its function words", () => {
  expect(titles("How do I create a token?")).toEqual(["Create a token"]);
});

test("words are found in plural and singular, by their beginning, in any case, and within names", () => {
  expect(titles("MACHINE")).toEqual(["Health"]);
  expect(titles("temperatures")).toEqual(["Health"]);
  expect(titles("temp")).toEqual(["Health"]);
  expect(titles("kernelbot_token")).toEqual(["Tokens for scripts"]);
});

test("nothing is found for unknown words, signs and an empty query", () => {
  for (const query of ["zebra", "??", ""]) expect(titles(query)).toEqual([]);
});

test("pages that are not shown are not found, and the other sections are found as without them", () => {
  const { hits } = search("runner temperature token", ({ path }) => path !== "guides/add-a-runner");
  expect(hits.map(({ section }) => section.title)).toEqual(["Tokens for scripts", "Bans"]);
});
