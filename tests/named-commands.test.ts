/**
 * Every `kernelbot ...`, `kernelbot-server ...` and `kernelbot-runner ...` that the documentation, the pages or a message
 * names is a command with these options.
 */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { flagConfig } from "@kernelbot/core";
import { expect, test } from "vitest";
import { HELP_OPTION, splitArguments, type CommandDescription } from "../packages/cli/src/command/command.ts";
import { describeCommands } from "../packages/cli/src/command/group.ts";
import { COMMANDS, TOPICS } from "../packages/cli/src/commands.ts";
import { DOCTOR_OPTIONS } from "../packages/runner/src/doctor/options.ts";
import { RUNNER_OPTIONS } from "../packages/runner/src/options.ts";
import { COMMANDS as SERVER_COMMANDS, COMMON_OPTIONS } from "../packages/server/src/options.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Generated from the definitions of the commands. */
const TOPIC_PAGES = TOPICS.map(({ name }) => `docs/reference/cli-${name}.md`);
const FILES = globSync(["docs/**/*.md", "*.md", "deploy/**/*", "{features,packages,tester}/**/*.{ts,py,sql,md}"], {
  cwd: ROOT,
  exclude: ["**/node_modules/**", "**/*.test.ts", "**/testing/**", "packages/testing/**", ...TOPIC_PAGES],
}).filter((file) => /\.\w+$/.test(file));

/** Python imports, connection names, labels, directories and accounts that begin like a command. */
const NOT_COMMANDS =
  /from kernelbot import|"kernelbot (?:backup|restore|artifact link)|`kernelbot draft \$|-U kernelbot postgres|ssh -l kernelbot /;

const COMMAND_LINE = /(?<![\w@./:=-])kernelbot(?:-server|-runner)? +(?=[a-z+<-])([^`"'\n()<>|;]*)/g;

interface NamedCommand {
  place: string;
  program: string;
  args: string[];
}

/** Returns the command lines in a text, without the prose that follows them. */
function commandsIn(file: string, text: string): NamedCommand[] {
  return text.split("\n").flatMap((line, index) => {
    if (NOT_COMMANDS.test(line)) return [];
    const values = line.replace(/\$\{\{?[^}]*\}\}?/g, "X").replace(/&lt;|&gt;/g, "X");
    // In a source, quotes enclose the whole command.
    const plain = /\.(ts|py)$/.test(file) ? values : values.replace(/"[^"`]*"|'[^'`]*'/g, "X");
    return Array.from(plain.matchAll(COMMAND_LINE), ([whole, rest = ""]) => ({
      place: `${file}:${index + 1}`,
      program: whole.split(" ")[0] ?? "",
      args: argumentsOf(rest),
    }));
  });
}

/** Splits words, up to a comment or the end of a sentence. `[--option]` is an option, `...` and `\` are dropped. */
function argumentsOf(text: string): string[] {
  const words: string[] = [];
  for (const word of text.split(/\s+#\s|\s{2,}#/)[0]?.split(/\s+/) ?? []) {
    const bare = word === "." ? word : word.replace(/^\[|[\],.:]+$/g, "");
    if (bare !== "" && bare !== "\\") words.push(bare);
    if (/\S[,.:]$/.test(word)) break;
  }
  return words;
}

const KERNELBOT = await describeCommands(COMMANDS);

/** Returns why the arguments of a command line are wrong; null if they are not. Missing arguments are no fault. */
function fault({ program, args }: Pick<NamedCommand, "program" | "args">): string | null {
  try {
    if (program === "kernelbot-runner")
      parseArgs({
        args,
        options: flagConfig(args[0] === "doctor" ? DOCTOR_OPTIONS : RUNNER_OPTIONS),
        allowPositionals: true,
      });
    else if (program === "kernelbot-server") checkServer(args);
    else checkCommand(args);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function checkServer([name = "", ...args]: readonly string[]): void {
  if (name.startsWith("-")) return;
  const command = SERVER_COMMANDS[name];
  if (command === undefined) throw new Error(`there is no command ${name}`);
  parseArgs({ args, options: flagConfig({ ...command.options, ...COMMON_OPTIONS }), allowPositionals: true });
}

function checkCommand(words: readonly string[]): void {
  if (words[0]?.startsWith("-") || words[0] === "help" || words[0] === "COMMAND") return;
  const isPrefix = ({ name }: CommandDescription) => name.split(" ").every((word, at) => words[at] === word);
  const [command] = KERNELBOT.filter(isPrefix).sort((a, b) => b.name.length - a.name.length);
  if (command === undefined) checkGroup(words);
  else {
    // +ROLE and -ROLE of `kernelbot admin roles` are not options.
    const args = words.slice(command.name.split(" ").length).filter((word) => !/^[+-][a-z]{2,}$/.test(word));
    const { values } = splitArguments({ ...command, options: { ...command.options, ...HELP_OPTION } }, args);
    for (const [name, value] of Object.entries(values)) {
      const choices = command.options[name]?.choices;
      if (typeof value === "string" && choices !== undefined && /^[a-z]/.test(value) && !choices.includes(value)) {
        throw new Error(`--${name} must be one of ${choices.join(", ")}, not ${value}`);
      }
    }
  }
}

/** Checks words that name a group: all of them, or up to an option or a word of a sentence. */
function checkGroup(words: readonly string[]): void {
  const isGroup = (group: readonly string[]) => KERNELBOT.some(({ name }) => name.startsWith(`${group.join(" ")} `));
  const end = words.findIndex((_, at) => !isGroup(words.slice(0, at + 1)));
  const group = end === -1 ? words : words.slice(0, end);
  const next = words[group.length];
  if (group.length === 0 || (next !== undefined && /^[a-z]/.test(next))) {
    throw new Error(`there is no command ${words.slice(0, group.length + 1).join(" ")}`);
  }
}

test("every command and option that a page or a message names exists", () => {
  const named = FILES.flatMap((file) => commandsIn(file, readFileSync(join(ROOT, file), "utf8")));
  expect(named.length).toBeGreaterThan(300);
  const faults = named.flatMap((each) => {
    const why = fault(each);
    return why === null ? [] : [`${each.place}: ${each.program} ${each.args.join(" ")}: ${why}`];
  });
  expect(faults).toEqual([]);
});

test.each([
  ["`kernelbot admin update-problems`", "there is no command admin update-problems"],
  ["Run kernelbot draft.", "there is no command draft"],
  ["kernelbot submit kernel.py --bord x", "unknown option '--bord'"],
  ["kernelbot submit kernel.py --mode race", "--mode must be one of"],
  ["`kernelbot-server server --port 1`", "there is no command server"],
  ["kernelbot-server token --port 1", "Unknown option '--port'"],
  ["kernelbot-runner --gpu H100", "Unknown option '--gpu'"],
  ["kernelbot-runner doctor --once", "Unknown option '--once'"],
])("%s is a fault", (text, why) => {
  const [named] = commandsIn("page.md", text);
  expect(named?.place).toBe("page.md:1");
  expect(fault(named as NamedCommand)).toContain(why);
});

test.each([
  "kernelbot admin roles NAME +moderator -organiser",
  "`kernelbot kernelbench suite inspect ~/KernelBench --out suite.json --target H100`, then",
  "Sign in with kernelbot login, or set KERNELBOT_TOKEN",
  "kernelbot problems # all of them --all",
  "`kernelbot tokens`, or `kernelbot tokens revoke 3`.",
  "kernelbot-runner --server URL --target cpu",
])("%s is no fault", (text) => {
  expect(
    commandsIn("page.md", text)
      .map(fault)
      .filter((why) => why !== null),
  ).toEqual([]);
});
