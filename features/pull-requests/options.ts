/** Options of the GitHub App that evaluates pull requests, read from the environment. */
import { readFileSync } from "node:fs";
import { KernelBotError, quote, SuiteName, TargetName } from "@kernelbot/core";

export interface PullRequestOptions {
  appId: number;
  /** The App's private key in PEM. */
  privateKey: string;
  /** Secret with which GitHub signs webhook deliveries. */
  webhookSecret: string;
  /** OWNER/NAME of the repositories that are served, in lower case. */
  repositories: readonly string[];
  suite: string;
  target: string;
  /**
   * Whether the compiled model is timed next to each kernel too. Published KernelBench leaderboards compute speed-ups
   * over it.
   */
  compiledBaseline: boolean;
  /** Name of the account that owns the entries. */
  account: string;
  /** Base URL of GitHub's API. */
  apiUrl: string;
}

const PREFIX = "KERNELBOT_GITHUB_APP_";
const NAMES = ["ID", "KEY", "WEBHOOK_SECRET", "REPOSITORIES", "SUITE", "TARGET"] as const;
const REPOSITORY = /^[a-z0-9][a-z0-9-]{0,38}\/[a-z0-9._-]{1,100}$/;
/** Minimum length of the secret; shorter ones could be guessed. */
const SECRET_LENGTH = 16;

/**
 * Reads KERNELBOT_GITHUB_APP_ID and the related variables; undefined when none is set.
 * @throws KernelBotError `bad_request` that names each invalid variable.
 */
export function readPullRequestOptions(env: NodeJS.ProcessEnv): PullRequestOptions | undefined {
  const text = (name: (typeof NAMES)[number]): string => env[`${PREFIX}${name}`]?.trim() ?? "";
  if (NAMES.every((name) => text(name) === "")) return undefined;
  const missing = NAMES.filter((name) => text(name) === "").map((name) => `${PREFIX}${name}: missing`);
  const repositories = text("REPOSITORIES")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const odd = repositories.find((name) => !REPOSITORY.test(name));
  const compiled = env[`${PREFIX}COMPILED_BASELINE`] || "yes";
  const apiUrl = env[`${PREFIX}API_URL`] || "https://api.github.com";
  const wrong = (name: string, isWrong: boolean, what: string): string[] =>
    isWrong ? [`${PREFIX}${name}: ${what}`] : [];
  const faults =
    missing.length > 0
      ? missing
      : [
          ...wrong("ID", !/^[1-9]\d{0,15}$/.test(text("ID")), "use the App ID from the App's page"),
          ...wrong(
            "WEBHOOK_SECRET",
            text("WEBHOOK_SECRET").length < SECRET_LENGTH,
            `use at least ${SECRET_LENGTH} characters`,
          ),
          ...wrong("REPOSITORIES", odd !== undefined, `${quote(odd ?? "")} must have the form OWNER/NAME`),
          ...wrong("SUITE", !SuiteName.safeParse(text("SUITE")).success, "use the name of a suite"),
          ...wrong("TARGET", !TargetName.safeParse(text("TARGET")).success, "use the name of a target"),
          ...wrong("COMPILED_BASELINE", compiled !== "yes" && compiled !== "no", "must be yes or no"),
          ...wrong("API_URL", !/^https?:$/.test(URL.parse(apiUrl)?.protocol ?? ""), "must be an http or https URL"),
        ];
  const privateKey = missing.length > 0 ? "" : readPrivateKey(text("KEY"), faults);
  if (faults.length > 0) throw new KernelBotError("bad_request", faults.join("; "));
  return {
    appId: Number(text("ID")),
    privateKey,
    webhookSecret: text("WEBHOOK_SECRET"),
    repositories,
    suite: text("SUITE"),
    target: text("TARGET"),
    compiledBaseline: compiled === "yes",
    account: env[`${PREFIX}ACCOUNT`] || "operator",
    apiUrl: apiUrl.replace(/\/$/, ""),
  };
}

function readPrivateKey(file: string, faults: string[]): string {
  try {
    const key = readFileSync(file, "utf8");
    if (/-----BEGIN (RSA )?PRIVATE KEY-----/.test(key)) return key;
    faults.push(`${PREFIX}KEY: ${quote(file)} is not a PEM private key; generate one on the App's page`);
  } catch (error) {
    faults.push(`${PREFIX}KEY: ${quote(file)} cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`);
  }
  return "";
}
