/**
 * Task folders of Harbor. Their verifier runs in a container of its own, which the agent cannot reach: it receives the
 * submission only, and has the server judge it.
 */
import { createHash } from "node:crypto";
import { EXTENSIONS, statementOf, type Language, type Problem } from "@kernelbot/core";
import { stringify } from "smol-toml";
import { layoutOf } from "@kernelbot/cli/src/init/problem-layout.ts";
import { VERIFIER_IMAGE, verifierScript } from "./verifier.ts";

interface TaskOptions {
  /** Address of the KernelBot server that judges. */
  server: string;
  /** First part of the task's name, `ORGANISATION/PROBLEM-TARGET`. */
  organisation: string;
  target: string;
  language: Language;
  /** Reward rule by name and version. */
  rule: string;
  /** Source of a correct kernel; null without one. */
  solution: string | null;
}

/** Returns the files of a task folder by their path. */
export function taskFolder(problem: Problem, options: TaskOptions): Map<string, string> {
  const { language, solution } = options;
  const file = `submission${EXTENSIONS[language][0]}`;
  const { directory, files } = layoutOf(problem);
  const folder = new Map([
    ["task.toml", taskFile(problem, file, options)],
    ["instruction.md", instruction(problem, file, directory, options)],
    ["environment/Dockerfile", ENVIRONMENT_IMAGE],
    ["tests/Dockerfile", VERIFIER_IMAGE],
    ["tests/test.sh", verifierScript(file)],
  ]);
  for (const [path, text] of files) folder.set(`environment/${path}`, text);
  if (solution !== null) {
    folder.set(`solution/${file}`, solution);
    folder.set("solution/solve.sh", `#!/bin/bash\ncp "$(dirname "$0")/${file}" /app/${file}\n`);
  }
  return folder;
}

const ENVIRONMENT_IMAGE = `FROM python:3.12-slim
WORKDIR /app
COPY problem /app/problem
`;

/** Returns `task.toml`. Top-level keys precede the tables: below a table, `artifacts` would be a key of that table. */
function taskFile({ spec }: Problem, file: string, options: TaskOptions): string {
  const { server, organisation, target, language, rule } = options;
  const { hostname } = new URL(server);
  return stringify({
    schema_version: "1.1",
    artifacts: [`/app/${file}`],
    task: {
      name: `${organisation}/${spec.name}-${target}`,
      description: (spec.description.trim().split("\n")[0] ?? "").slice(0, 200),
      keywords: ["gpu-kernel", "kernelbot"],
    },
    agent: { timeout_sec: 3600 },
    environment: { cpus: 2, memory_mb: 4096 },
    verifier: {
      timeout_sec: 1800,
      environment_mode: "separate",
      // Only host names and IPv4 addresses are allowed here.
      ...(hostname.includes(":") ? {} : { network_mode: "allowlist", allowed_hosts: [hostname] }),
      env: {
        KERNELBOT_SERVER: server,
        KERNELBOT_TOKEN: "${KERNELBOT_TOKEN}",
        KERNELBOT_PROBLEM: spec.name,
        KERNELBOT_TARGET: target,
        KERNELBOT_LANGUAGE: language,
        KERNELBOT_RULE: rule,
      },
      environment: { cpus: 1, memory_mb: 512 },
    },
  });
}

function instruction(problem: Problem, file: string, directory: string, { target }: TaskOptions): string {
  return [
    statementOf(problem).trimEnd(),
    "## What to submit",
    `Write the kernel to \`/app/${file}\`: one file, judged on the target \`${target}\` after you finish. The problem's files are in \`/app/${directory}\`. Only \`/app/${file}\` is judged.`,
    "",
  ].join("\n\n");
}

/** Files that count for a task's digest. */
const COUNTED = /^(task\.toml|instruction\.md|README\.md|trajectory\.json|(environment|tests|solution|steps)\/.+)$/;

/**
 * Returns the digest of a task folder: SHA-256, in hexadecimal, of a record for each file by path: the path, NUL, the
 * file's SHA-256 and LF.
 */
export function taskDigest(files: ReadonlyMap<string, string>): string {
  const digest = createHash("sha256");
  for (const path of [...files.keys()].filter((each) => COUNTED.test(each)).toSorted()) {
    const content = createHash("sha256").update(files.get(path) ?? "");
    digest.update(`${path}\0${content.digest("hex")}\n`);
  }
  return digest.digest("hex");
}
