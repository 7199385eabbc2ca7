/** Checkout of one commit from a Git address, without history, made with the user's own git. */
import { execFile, type ExecFileException } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import { UsageError } from "../command/exit.ts";
import { sanitize } from "../output/text.ts";

interface Checkout extends AsyncDisposable {
  folder: string;
  /** Address without user name and password. */
  address: string;
  commit: string;
  /** Address and commit, `ADDRESS@COMMIT`. */
  origin: string;
}

/** Whether the text is an address and not a folder: `https://host/path`, `ssh://host/path`, `git@host:path`. */
export function isGitAddress(text: string): boolean {
  return /^(https?|ssh|git|file):\/\/[^\s-]/.test(text) || /^[A-Za-z0-9]\S*@[A-Za-z0-9][\w.-]*:[^\s-]\S*$/.test(text);
}

/** Branch, tag or commit. Rejects texts that git could parse as an option or a refspec. */
const REF = /^[A-Za-z0-9][\w./-]{0,199}$/;

/**
 * Fetches a commit into a temporary folder that is removed on disposal.
 * @param ref branch, tag or commit; HEAD of the address when omitted
 * @throws UsageError with git's error message
 */
export async function checkoutByGit(address: string, ref: string | undefined, signal: AbortSignal): Promise<Checkout> {
  if (ref !== undefined && !REF.test(ref))
    throw new UsageError(`${JSON.stringify(ref)} is not a valid branch, tag or commit`);
  const folder = await mkdtemp(join(tmpdir(), "kernelbot-checkout-"));
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    await git(["init", "--quiet", folder], signal);
    await git(["-C", folder, "fetch", "--quiet", "--depth", "1", "--no-tags", "--", address, ref ?? "HEAD"], signal);
    // A symbolic link in an untrusted checkout could point to files of this machine, so git writes it as a plain file
    // that contains the link's target.
    await git(["-C", folder, "-c", "core.symlinks=false", "checkout", "--quiet", "--detach", "FETCH_HEAD"], signal);
    const commit = (await git(["-C", folder, "rev-parse", "HEAD"], signal)).trim();
    const plain = withoutSecrets(address);
    return { folder, address: plain, commit, origin: `${plain}@${commit}`, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Timeout of one git command, in ms. */
const TIMEOUT_MS = 300_000;
/** Git never prompts: without access it fails with an error message. */
const ENVIRONMENT = { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "true", SSH_ASKPASS_REQUIRE: "never" };
/** Hooks from the user's Git templates do not run on an untrusted checkout. */
const NO_HOOKS = ["-c", "core.hooksPath=/dev/null"];

/** Runs git. @returns its standard output, at most 1 MB. @throws UsageError with git's error message. */
export async function git(args: readonly string[], signal: AbortSignal): Promise<string> {
  return (await gitBytes(args, signal, 1e6)).toString();
}

/** Runs git as `git` does. @returns the bytes of its standard output. */
export async function gitBytes(args: readonly string[], signal: AbortSignal, maxBytes: number): Promise<Buffer> {
  const inherited = childEnvironment(process.env, "git", "ssh", "network");
  const env = { GIT_SSH_COMMAND: "ssh -o BatchMode=yes", ...inherited, ...ENVIRONMENT };
  try {
    return (
      await promisify(execFile)("git", [...NO_HOOKS, ...args], {
        ...{ signal, maxBuffer: maxBytes, timeout: TIMEOUT_MS, env },
        encoding: "buffer",
      })
    ).stdout;
  } catch (error) {
    signal.throwIfAborted();
    const { code, stderr, message, killed } = error as Omit<ExecFileException, "stderr"> & { stderr?: Buffer };
    if (killed === true) throw new UsageError(`git did not finish within ${TIMEOUT_MS / 1000} s`, { cause: error });
    if (code === "ENOENT") throw new UsageError("git is not installed; install it, or use a folder instead of a URL");
    const lines = sanitize(stderr?.toString() ?? "")
      .trim()
      .split("\n");
    const reason = lines.find((line) => line.startsWith("fatal:")) ?? lines.at(-1) ?? message;
    throw new UsageError(`git: ${reason}`, { cause: error });
  }
}

function withoutSecrets(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  url.username = "";
  url.password = "";
  url.search = "";
  return url.href;
}
