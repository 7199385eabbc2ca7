import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkoutByGit, isGitAddress } from "./git-checkout.ts";

const SIGNAL = new AbortController().signal;

/** Creates a repository with a problem, a link that points outside, and a tag on its first commit. */
function repository() {
  const folder = mkdtempSync(join(tmpdir(), "kernelbench-git-"));
  const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, ...who, ...args])
      .toString()
      .trim();
  git("init", "--quiet");
  mkdirSync(join(folder, "level1"));
  writeFileSync(join(folder, "level1/1_x.py"), "first\n");
  symlinkSync("/etc/passwd", join(folder, "level1/2_y.py"));
  git("add", ".");
  git("commit", "--quiet", "--message", "one");
  git("tag", "v1");
  writeFileSync(join(folder, "level1/1_x.py"), "second\n");
  git("commit", "--quiet", "--all", "--message", "two");
  return { folder, git, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test("a checkout has the files and the name of a commit, and is removed afterwards", async () => {
  using source = repository();
  let folder = "";
  {
    await using newest = await checkoutByGit(`file://${source.folder}`, undefined, SIGNAL);
    folder = newest.folder;
    expect(readFileSync(join(folder, "level1/1_x.py"), "utf8")).toBe("second\n");
    expect(newest.origin).toBe(`file://${source.folder}@${source.git("rev-parse", "HEAD")}`);
  }
  expect(existsSync(folder)).toBe(false);
  await using tagged = await checkoutByGit(`file://${source.folder}`, "v1", SIGNAL);
  expect(readFileSync(join(tagged.folder, "level1/1_x.py"), "utf8")).toBe("first\n");
});

test("a symbolic link in a checkout is a plain file", async () => {
  using source = repository();
  await using checkout = await checkoutByGit(`file://${source.folder}`, undefined, SIGNAL);
  expect(lstatSync(join(checkout.folder, "level1/2_y.py")).isFile()).toBe(true);
});

test.each(["--upload-pack=touch", "-x", "a b", "main:refs/heads/x", ""])("%j is not a valid ref", async (ref) => {
  await expect(checkoutByGit("file:///nowhere", ref, SIGNAL)).rejects.toThrow("is not a valid branch, tag or commit");
});

test("the error message of git is reported", async () => {
  await expect(checkoutByGit("file:///nowhere/at/all", undefined, SIGNAL)).rejects.toThrow(/^git: .*nowhere/);
});

test.each([
  ["https://github.com/a/b", true],
  ["git@example.org:a/b.git", true],
  ["ssh://git@example.org/a", true],
  ["./KernelBench", false],
  ["ext::sh -c touch% x", false],
  ["ssh://-oProxyCommand=x/a", false],
  ["-u@host:x", false],
])("%s is an address: %s", (text, is) => {
  expect(isGitAddress(text)).toBe(is);
});
