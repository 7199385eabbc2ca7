import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { PRECISIONS } from "@kernelbot/core";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import { findPython, TESTER_DIRECTORY } from "@kernelbot/tester";
import { defineCommand } from "../../../command/command.ts";
import { EXIT, UsageError } from "../../../command/exit.ts";
import { positiveInteger } from "../../../command/arguments.ts";
import { untilInterrupted } from "../../../command/interrupt.ts";
import { checkoutByGit, isGitAddress } from "../../../git/git-checkout.ts";

export const command = defineCommand({
  name: "kernelbench suite inspect",
  positionals: ["CHECKOUT"],
  options: {
    out: { type: "string", short: "o", value: "FILE", help: "File to write (required)" },
    name: { type: "string", value: "NAME", default: "kernelbench", help: "Name of the suite" },
    target: {
      type: "string",
      short: "t",
      value: "NAME",
      multiple: true,
      help: "Target for its kernels; required, except with --smoke (cpu)",
    },
    ref: { type: "string", value: "REF", help: "With a URL: branch, tag or commit (default HEAD)" },
    smoke: { type: "boolean", help: "Reduce the sizes until each model runs fast on a CPU" },
    precision: { type: "string", choices: PRECISIONS, default: "fp32", help: "Precision of inputs and weights" },
    only: { type: "string", value: "LEVEL/PROBLEM", multiple: true, help: "Only this problem, such as 1/19" },
    jobs: { type: "string", value: "N", default: "1", help: "Number of problems inspected in parallel" },
    "unsafe-no-sandbox": {
      type: "boolean",
      help: "Run the models with all your permissions; only for code that you trust",
    },
  },
  notes: [
    "Runs the model of each problem and writes the suite with the results. CHECKOUT is a folder, or a URL of a Git " +
      "repository: https://..., ssh://..., git@host:path.",
    "The models run on this machine in the sandbox, without network and without access to your files and environment.",
    "Results are saved in FILE.known; after Ctrl-C, run the same command again to resume. Then run kernelbot kernelbench " +
      "suite upload FILE.",
  ],
  run: async ({ out, name, target, ref, smoke, precision, only, jobs, ...rest }, checkout) => {
    if (out === undefined) throw new UsageError("--out FILE is required");
    if (target.length === 0 && !smoke) throw new UsageError("--target NAME is required, unless --smoke is given");
    const args = [
      ...["--out", resolve(out), `--name=${name}`, "--precision", precision, ...(smoke ? ["--smoke"] : [])],
      ...["--jobs", String(positiveInteger(jobs, "a number of problems at once"))],
      ...(rest["unsafe-no-sandbox"] ? ["--unsafe-no-sandbox"] : []),
      ...target.map((each) => `--target=${each}`),
      ...only.map((each) => `--only=${each}`),
    ];
    return untilInterrupted("Interrupted. To resume, run the same command again.", async (signal) => {
      if (!isGitAddress(checkout)) {
        if (ref !== undefined) throw new UsageError("--ref requires a URL, and CHECKOUT is a folder");
        return inspect(["--", resolve(checkout)], args, signal);
      }
      console.error(`Fetching ${ref ?? "HEAD"} with git.`);
      await using fetched = await checkoutByGit(checkout, ref, signal);
      return await inspect([`--origin=${fetched.origin}`, "--", fetched.folder], args, signal);
    });
  },
});

/** Runs the inspection in Python, which reports progress on standard error. */
async function inspect(source: readonly string[], args: readonly string[], signal: AbortSignal): Promise<number> {
  const { path: python } = await findPython();
  signal.throwIfAborted();
  const child = spawn(python, ["-m", "kernelbot_tester.kernelbench", "inspect", ...args, ...source], {
    cwd: TESTER_DIRECTORY,
    env: childEnvironment(process.env, "python"),
    stdio: ["ignore", "inherit", "inherit"],
    // Each model runs in a process of its own, so the whole process group is stopped together.
    detached: true,
  });
  const stop = () => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  };
  signal.addEventListener("abort", stop);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    signal.throwIfAborted();
    return code === 0 ? EXIT.passed : code === 2 ? EXIT.usage : EXIT.failed;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
