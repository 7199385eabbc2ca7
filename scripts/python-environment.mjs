/** Virtual environment with PyTorch that the set-up makes. */
import { join } from "node:path";
import { machineBuild, pinned, torchArguments } from "../tester/node/pinned-packages.mjs";

/**
 * Makes a virtual environment with the versions of the runner images; PyTorch in its build for this machine's
 * accelerator, or for CPUs.
 * @param {string} folder Folder of the environment; what it contains is deleted.
 * @param {(program: string, args: string[]) => Promise<{ status: number | null, stdout: string, stderr: string }>} outcome
 *   Runs a program.
 * @returns {Promise<string>} The interpreter.
 * @throws {Error} With the first error that Python or pip printed.
 */
export async function makeEnvironment(folder, outcome) {
  const python = join(folder, "bin", "python3");
  await complete("python3", ["-m", "venv", "--clear", folder]);
  await pip([`numpy==${pinned("NUMPY_VERSION")}`, `setuptools==${pinned("SETUPTOOLS_VERSION")}`]);
  const [first, ...others] = torchArguments(process.platform, machineBuild());
  await others.reduce((tried, args) => tried.catch(() => pip(args)), pip(first));
  return python;

  /** @param {string[]} args */
  function pip(args) {
    return complete(python, [..."-m pip install --retries 1 --timeout 15 --quiet".split(" "), ...args]);
  }

  /** @param {string} program @param {string[]} args */
  async function complete(program, args) {
    const { status, stdout, stderr } = await outcome(program, args);
    if (status === 0) return;
    const lines = `${stderr}\n${stdout}`.split("\n").filter((line) => line.trim() !== "");
    const line = lines.find((each) => /^error:/i.test(each)) ?? lines[0] ?? `${program} ended with exit code ${status}`;
    throw new Error(line.replace(/^error:\s*/i, ""));
  }
}
