/** Every `kernelbot ...` in a page or a message of the server is a command of the CLI. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { CLI } from "../scripts/processes.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** Returns the lines of source files without comments, with their files. */
function lines(): { file: string; line: string }[] {
  const files = globSync(["packages/{web,server,core}/src/**/*.ts"], { cwd: ROOT });
  return files
    .filter((file) => !/\.test\.ts$|\/testing\/|\/generated\//.test(file))
    .flatMap((file) =>
      readFileSync(join(ROOT, file), "utf8")
        .split("\n")
        .filter((line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line) && !LABELS.test(line))
        .map((line) => ({ file, line })),
    );
}

const TOP_LEVEL = new Set(
  Array.from(
    execFileSync(process.execPath, [CLI, "--help"], { encoding: "utf8" }).matchAll(/^ {2}([a-z-]+) {2}/gm),
  ).map(([, name]) => name),
);

/** Labels of database connections, of signed links and of browser storage, which are not commands. */
const LABELS = /"kernelbot (?:backup|restore|artifact link)|`kernelbot draft \$/;

interface Helped {
  command: { help: (words: readonly string[]) => Promise<string> | string };
}

/** Returns why these words are not a command; null when they are. Words after a command are its arguments. */
async function fault(words: readonly string[]): Promise<string | null> {
  const [name = "", ...rest] = words;
  if (!TOP_LEVEL.has(name)) return `there is no command ${name}`;
  const { command } = (await import(`../packages/cli/src/commands/${name}.ts`)) as Helped;
  const usage = /^Usage: kernelbot (.*) COMMAND /m.exec(await command.help(rest))?.[1];
  if (usage === undefined) return null;
  const unknown = words[usage.split(" ").length];
  // A group that can be called without a subcommand is followed by options or by nothing.
  return unknown === undefined ? null : `there is no command ${usage} ${unknown}`;
}

test("every command of kernelbot that a page or a message names exists", async () => {
  const named = lines().flatMap(({ file, line }) =>
    Array.from(line.matchAll(/(?<![\w./@-])kernelbot ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)/g), (match) => ({
      file,
      words: (match[1] ?? "").split(" "),
    })),
  );
  expect(named.length).toBeGreaterThan(20);
  const faults = await Promise.all(named.map(async ({ file, words }) => [file, await fault(words)] as const));
  expect(faults.filter(([, what]) => what !== null)).toEqual([]);
});

test("a command that does not exist is found", async () => {
  expect(await fault(["admin", "update-problems"])).toBe("there is no command admin update-problems");
  expect(await fault(["draft"])).toBe("there is no command draft");
  expect(await fault(["kernelbench", "suite", "inspect"])).toBeNull();
});
