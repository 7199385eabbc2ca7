import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { describeCommands } from "../command/group.ts";
import { COMMANDS } from "../commands.ts";
import { completionScript } from "./completion.ts";

const commands = await describeCommands(COMMANDS);

/** Returns what bash offers for the last of these words. */
function completed(...words: string[]): string[] {
  const script = `${completionScript("bash", commands)}
COMP_WORDS=(kernelbot "$@"); COMP_CWORD=$#; _kernelbot; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync("bash", ["--norc", "-c", script, "bash", ...words], { encoding: "utf8" });
  return out.split("\n").filter((word) => word !== "");
}

test.each([
  [["sub"], ["submit"]],
  [["w"], ["watch", "whoami", "webhooks"]],
  [["admin", "invites", "c"], ["create"]],
  [
    ["submit", "kernel.py", "--mo"],
    ["--mode", "--model"],
  ],
  [
    ["submit", "kernel.py", "--mode", ""],
    ["test", "benchmark", "ranked", "profile", "application"],
  ],
  [["ci", "duel", "--fail-on", "s"], ["slower"]],
  // Files, which bash itself completes.
  [["submit", "kern"], []],
])("bash completes %j to %j", (words, offered) => {
  expect(completed(...words)).toEqual(offered);
});

test("every command and option has a line in the script of fish, in its quotes", () => {
  const script = completionScript("fish", commands);
  expect(script).toContain(
    "complete -c kernelbot -n '__kernelbot_in \\'submit\\'' -l board -s b -r -d 'Leaderboard: the name of a problem'\n",
  );
  expect(script).toContain("complete -c kernelbot -n '__kernelbot_at \\'admin invites\\'' -f -a create -d '");
  const quotes = script
    .replaceAll(/\\./g, "")
    .split("\n")
    .filter((line) => (line.match(/'/g)?.length ?? 0) % 2 === 1);
  expect(quotes).toEqual([]);
});
