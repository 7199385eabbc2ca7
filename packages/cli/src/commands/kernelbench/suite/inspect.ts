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
  about: "Runs the model of each problem of a KernelBench checkout, and writes them as a suite.",
  positionals: ["CHECKOUT"],
  options: {
    out: { type: "string", short: "o", value: "FILE", help: "Where the suite goes" },
    name: { type: "string", value: "NAME", default: "kernelbench", help: "What the suite is called" },
    target: {
      type: "string",
      short: "t",
      value: "NAME",
      multiple: true,
      help: "Where its kernels can be evaluated; cpu with --smoke",
    },
    ref: { type: "string", value: "REF", help: "Of an address: a branch, a tag or a commit" },
    smoke: { type: "boolean", help: "Shrink the sizes until a model is quick on a CPU" },
    precision: { type: "string", choices: PRECISIONS, default: "fp32", help: "What inputs and weights are cast to" },
    only: { type: "string", value: "LEVEL/PROBLEM", multiple: true, help: "These problems alone, such as 1/19" },
    jobs: { type: "string", value: "N", default: "1", help: "Problems at once" },
    "unsafe-no-sandbox": { type: "boolean", help: "Run the models with all your rights; only for code that you trust" },
  },
  notes: [
    "CHECKOUT is a folder, or an address that git fetches: https://..., ssh://..., git@host:path.",
    "Its models run here in the sandbox: without network, and without your files and environment.",
    "What was found out is kept beside FILE as FILE.known, so that the same command goes on after Ctrl-C. Then: kernelbot " +
      "kernelbench suite upload FILE.",
  ],
  run: async ({ out, name, target, ref, smoke, precision, only, jobs, ...rest }, checkout) => {
    if (out === undefined) throw new UsageError("say where the suite goes: --out FILE");
    if (target.length === 0 && !smoke) throw new UsageError("say where its kernels can be evaluated: --target NAME");
    const args = [
      ...["--out", resolve(out), `--name=${name}`, "--precision", precision, ...(smoke ? ["--smoke"] : [])],
      ...["--jobs", String(positiveInteger(jobs, "a number of problems at once"))],
      ...(rest["unsafe-no-sandbox"] ? ["--unsafe-no-sandbox"] : []),
      ...target.map((each) => `--target=${each}`),
      ...only.map((each) => `--only=${each}`),
    ];
    return untilInterrupted("Stopped; the same command goes on where it was.", async (signal) => {
      if (!isGitAddress(checkout)) {
        if (ref !== undefined) throw new UsageError("--ref is of an address, and this is a folder");
        return inspect(["--", resolve(checkout)], args, signal);
      }
      console.error(`Fetching ${ref ?? "HEAD"} by git.`);
      await using fetched = await checkoutByGit(checkout, ref, signal);
      return await inspect([`--origin=${fetched.origin}`, "--", fetched.folder], args, signal);
    });
  },
});

/** Runs the inspection in Python, which reports progress on standard error. */
async function inspect(where: readonly string[], args: readonly string[], signal: AbortSignal): Promise<number> {
  const { path: python } = await findPython();
  signal.throwIfAborted();
  const child = spawn(python, ["-m", "kernelbot_tester.kernelbench", "inspect", ...args, ...where], {
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
