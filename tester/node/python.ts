import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { KernelBotError, quote } from "@kernelbot/core";
import { childEnvironment } from "./child-environment.ts";

/** Directory of the Python package `kernelbot_tester`. */
export const TESTER_DIRECTORY = resolve(import.meta.dirname, "..");
const REPOSITORY_PYTHON = join(TESTER_DIRECTORY, "..", ".venv", "bin", "python3");

/** Python interpreter with PyTorch and NumPy. */
export interface Python {
  /** Absolute path of the interpreter itself, not of a version manager's shim. */
  path: string;
  torchVersion: string;
  /** Why the interpreters that were tried before were not taken, such as `"python3" has no torch`. */
  refused: readonly string[];
}

/** Timeout in ms of an interpreter that hangs, such as on a remote disk. */
const PROBE_MS = 120_000;

// Finds modules without importing them: importing PyTorch takes more than a second, and the tester imports it anyway.
const PROBE = `
import importlib.util, pathlib, sys
if sys.version_info < (3, 10): sys.exit("is Python %d.%d; 3.10 is the oldest that serves" % sys.version_info[:2])
torch, numpy = map(importlib.util.find_spec, ("torch", "numpy"))
missing = [name for name, spec in (("torch", torch), ("numpy", numpy)) if spec is None or spec.origin is None]
if missing: sys.exit("has no " + " and no ".join(missing))
names = {}
exec((pathlib.Path(torch.origin).parent / "version.py").read_text(), names)
print(sys.executable, names["__version__"], sep="\\n")
`;

/**
 * Finds an interpreter with PyTorch and NumPy: only the one in `KERNELBOT_PYTHON` if set, else the first of the
 * repository's virtual environment, `python3` on the PATH, and the system's.
 * @throws KernelBotError `unavailable` that says what was tried and what to do.
 */
export async function findPython(env: NodeJS.ProcessEnv = process.env): Promise<Python> {
  const chosen = env.KERNELBOT_PYTHON;
  const own = existsSync(REPOSITORY_PYTHON) ? [REPOSITORY_PYTHON] : [];
  const candidates = chosen === undefined ? [...own, "python3", "/usr/bin/python3"] : [chosen];
  const tried: string[] = [];
  for (const candidate of candidates) {
    const found = await probe(candidate, env);
    if (typeof found === "object") return { ...found, refused: tried };
    tried.push(`${quote(candidate)} ${found}`);
  }
  throw new KernelBotError(
    "unavailable",
    chosen === undefined
      ? `no Python with PyTorch and NumPy: ${tried.join("; ")}. Install PyTorch and NumPy for one of them, or set KERNELBOT_PYTHON to another interpreter`
      : `KERNELBOT_PYTHON: ${tried.join("; ")}. Install what is missing there, or unset KERNELBOT_PYTHON`,
  );
}

/** Returns the interpreter, or the reason why it is unsuitable. */
async function probe(candidate: string, env: NodeJS.ProcessEnv): Promise<Omit<Python, "refused"> | string> {
  try {
    // Python searches its working directory for modules first, so that must be a trusted directory.
    const { stdout } = await promisify(execFile)(candidate, ["-c", PROBE], {
      cwd: TESTER_DIRECTORY,
      env: childEnvironment(env, "python"),
      timeout: PROBE_MS,
    });
    const [path, torchVersion] = stdout.split("\n");
    return path && torchVersion ? { path, torchVersion } : "is not a Python";
  } catch (error) {
    const { code, stderr } = error as { code?: string | number; stderr?: string };
    if (code === "ENOENT") return "is missing";
    return stderr?.trim().split("\n").at(-1) ?? `cannot be run (${code ?? `no answer in ${PROBE_MS / 1000} s`})`;
  }
}
