/**
 * Sets up a fresh machine: npm packages, Python with PyTorch, the sandbox, a C compiler; with --test also a browser,
 * with --nightly also Prometheus, whose package starts a service.
 * Plain JavaScript without dependencies, since it installs them; runs on Node 20 and newer. Each step installs only
 * what is missing, so a second call takes about a second. Independent steps run concurrently; when one fails, the
 * others are completed first, since a partly installed package is unusable.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pinned } from "../tester/node/pinned-packages.mjs";
import { makeEnvironment } from "./python-environment.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const forTests = process.argv.includes("--test");
const forNight = process.argv.includes("--nightly");
/** Last apt-get call; calls run one after another. */
let apt = Promise.resolve();

const npm = installNpmPackages();
const system = installSystemPackages([
  { program: "bwrap", packages: ["bubblewrap"], why: "the sandbox in which submissions run" },
  {
    ...{ program: "jemalloc", packages: ["libjemalloc2"], why: "the allocator of workers, for steadier times" },
    ...{ isOptional: true, isInPlace: hasJemalloc },
  },
  { program: "gcc", packages: ["gcc", "libc6-dev"], why: "builds the judge's clock and the sandbox cell" },
  { program: "g++", packages: ["g++"], why: "for submissions that compile" },
  { program: "ninja", packages: ["ninja-build"], why: "for submissions that compile by PyTorch" },
  { program: "python3", packages: ["python3"], why: "runs the tester" },
  ...(forTests ? [{ program: "chromium", packages: ["chromium"], why: "the browser tests" }] : []),
  ...(forTests ? [{ program: "curl", packages: ["curl"], why: "the tests of the installation scripts" }] : []),
  ...(forTests ? [{ program: "buildah", packages: ["buildah"], why: "the tests of the container images" }] : []),
  ...(forTests ? [{ program: "mmdebstrap", packages: ["mmdebstrap"], why: "the base image of those tests" }] : []),
  ...(forTests ? [{ program: "ssh", packages: ["openssh-client"], why: "the tests of the Slurm launcher" }] : []),
  ...(forNight ? [{ program: "promtool", packages: ["prometheus"], why: "tests of alerts", isOptional: true }] : []),
]);
const python = has("python3") ? installPyTorch() : system.then(installPyTorch);
const suites = python.then(installSuiteModules);
const headers = Promise.all([python, system]).then(([interpreter]) => installHeaders(interpreter));
const blas = Promise.all([python, system]).then(([interpreter]) => installBlas(interpreter));
const optional = npm.then(() => forTests && installOptionalPackages(["modal@0.11.1", "ssh2@1.17.0"]));

const ended = await Promise.allSettled([npm, system, python, suites, headers, blas, optional]);
const faults = new Set(ended.filter(({ status }) => status === "rejected").map(({ reason }) => reason));
for (const { message } of faults) console.error(`setup failed: ${message}`);
process.exitCode = faults.size > 0 ? 1 : 0;

async function installNpmPackages() {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const stamp = join(root, "node_modules", ".kernelbot-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return say("npm packages", "in place");
  await run("npm packages", "npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(stamp, lock);
}

/**
 * Packages used by the tests of some launchers. In the lockfile every user would install them, with parts that exist
 * only for some systems; without them those tests are skipped.
 */
async function installOptionalPackages(packages) {
  const names = packages.map((each) => each.split("@")[0]);
  if (names.every((name) => existsSync(join(root, "node_modules", name)))) return say("for launchers", "in place");
  const args = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...packages];
  const fetched = await quiet("npm", args);
  say("for launchers", fetched ? `installed ${names.join(", ")}` : "not to be had; some tests are left out");
}

async function installSystemPackages(programs) {
  const canInstall = has("apt-get") && process.getuid?.() === 0;
  const absent = programs.filter(({ program, isInPlace = () => has(program) }) => !isInPlace());
  const missing = absent.filter(({ isOptional }) => canInstall || !isOptional);
  for (const { program, why } of programs) {
    if (!absent.some((entry) => entry.program === program)) say(program, `in place (${why})`);
    else if (!missing.some((entry) => entry.program === program)) say(program, `missing, works without (${why})`);
  }
  if (missing.length > 0) {
    await aptInstall(
      missing.map(({ program }) => program).join(", "),
      missing.flatMap(({ packages }) => packages),
    );
  }
}

/** Returns whether the tester finds jemalloc; false without a Python. */
function hasJemalloc() {
  const probe =
    "from kernelbot_tester.sandbox.allocator import find_jemalloc as find; raise SystemExit(find() is None)";
  return spawnSync("python3", ["-c", probe], { cwd: join(root, "tester") }).status === 0;
}

/**
 * Finds or installs PyTorch: an existing installation, a virtual environment from the Python registry, or Debian's
 * packages. Returns the interpreter.
 */
async function installPyTorch() {
  const venv = join(root, ".venv", "bin", "python3");
  const chosen = process.env.KERNELBOT_PYTHON;
  if (chosen !== undefined) {
    if (!(await hasTorch(chosen)))
      fail(`KERNELBOT_PYTHON is ${chosen}, which cannot import torch and numpy. Install them there, or unset it.`);
    say("PyTorch", `${chosen} (KERNELBOT_PYTHON)`);
    return chosen;
  }
  for (const found of [venv, "python3", "/usr/bin/python3"]) {
    if (!(await hasTorch(found))) continue;
    say("PyTorch", `the machine's: ${found}`);
    return found;
  }

  const requirement = `torch==${pinned("TORCH_VERSION")}`;
  say("PyTorch", `not on this machine; trying ${requirement} in a virtual environment (a large download)`);
  try {
    await makeEnvironment(join(root, ".venv"), outcome);
    if (!(await hasTorch(venv))) fail(`${venv} cannot import it`);
    say("PyTorch", `a virtual environment: ${venv}`);
    return venv;
  } catch (error) {
    say("PyTorch", `${requirement} cannot be installed: ${error.message}`);
    say("PyTorch", "trying Debian's packages; for another version, set KERNELBOT_PYTHON to a Python that has it");
  }

  await aptInstall("PyTorch", ["python3", "python3-torch", "python3-numpy", "libopenblas0-pthread"]);
  if (!(await hasTorch("/usr/bin/python3")))
    fail("Debian's python3-torch was installed, but /usr/bin/python3 cannot import it.");
  say("PyTorch", "Debian's packages: /usr/bin/python3");
  return "/usr/bin/python3";
}

/**
 * Installs modules that KernelBench problems import in addition to PyTorch, only into the repository's virtual environment;
 * without them no kernel of those problems can be correct.
 */
async function installSuiteModules(python) {
  const requirement = `einops==${pinned("EINOPS_VERSION")}`;
  const [name] = requirement.split("==");
  const probe = `import importlib.util as u, sys; sys.exit(not u.find_spec('${name}'))`;
  if (await quiet(python, ["-c", probe])) return say(name, "in place (problems 3/48 and 3/49 of KernelBench)");
  const pip = `-m pip install --retries 1 --timeout 15 --quiet ${requirement}`.split(" ");
  const isOurs = python === join(root, ".venv", "bin", "python3");
  if (isOurs && (await quiet(python, pip))) return say(name, "installed (problems 3/48 and 3/49 of KernelBench)");
  // pip refuses to install into an interpreter that its distribution manages (PEP 668).
  const isManaged =
    "import os, sys, sysconfig as c; marker = os.path.join(c.get_path('stdlib'), 'EXTERNALLY-MANAGED'); " +
    "sys.exit(not (sys.prefix == sys.base_prefix and os.path.exists(marker)))";
  const command = (await quiet(python, ["-c", isManaged]))
    ? `${python} -m venv --system-site-packages ~/kernelbot-python && ~/kernelbot-python/bin/python3 -m pip install ` +
      `${requirement} && export KERNELBOT_PYTHON=~/kernelbot-python/bin/python3`
    : `${python} -m pip install ${requirement}`;
  say(name, `missing; problems 3/48 and 3/49 of KernelBench need it: ${command}`);
}

/**
 * Installs the headers for compiling submissions against PyTorch. Without root they are only recommended, since other
 * submissions do not need them.
 */
async function installHeaders(python) {
  const look =
    "import sys; sys.path.insert(0, 'tester'); from kernelbot_tester.doctor.compilers import missing; print(*missing())";
  const { stdout } = await outcome(python, ["-c", look]);
  const packages = stdout.split(/\s+/).filter((name) => name !== "");
  if (packages.length === 0) return say("headers", "in place (for submissions that compile)");
  if (has("apt-get") && process.getuid?.() === 0) return aptInstall("headers", packages);
  say("headers", `for submissions that compile, install what Debian calls: ${packages.join(" ")}`);
}

/** Installs an optimized BLAS where PyTorch would use the reference implementation, as Debian's package may. */
async function installBlas(python) {
  const look =
    "import sys; sys.path.insert(0, 'tester'); from kernelbot_tester.doctor import frameworks; print(frameworks.reference_blas() and frameworks.OPTIMIZED_BLAS or '')";
  const { stdout } = await outcome(python, ["-c", look]);
  const name = stdout.trim();
  if (name === "") return say("BLAS", "in place (for fast matrix products on processors)");
  if (has("apt-get") && process.getuid?.() === 0) return aptInstall("BLAS", [name]);
  say("BLAS", `for fast matrix products on processors, install what Debian calls: ${name}`);
}

function hasTorch(python) {
  // A folder without code, as an uninstalled package may leave behind, has no origin.
  const probe =
    "import importlib.util as u, sys; sys.exit(not all(getattr(u.find_spec(n), 'origin', None) for n in ('torch', 'numpy')))";
  return quiet(python, ["-c", probe]);
}

function aptInstall(what, packages) {
  const names = packages.join(" ");
  if (!has("apt-get")) fail(`${what} is missing and this system has no apt-get. Install what Debian calls: ${names}`);
  if (process.getuid?.() !== 0) fail(`${what} is missing. Run: sudo apt-get update && sudo apt-get install ${names}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  apt = apt.then(async () => {
    await run("package lists", "apt-get", ["update", "-qq"], env);
    await run(what, "apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], env);
  });
  return apt;
}

function has(program) {
  return (process.env.PATH ?? "").split(":").some((folder) => folder !== "" && existsSync(join(folder, program)));
}

async function quiet(program, args) {
  return (await outcome(program, args)).status === 0;
}

/** Runs a step with a line before and after it; its output is shown only when it fails. */
async function run(what, program, args, env = process.env) {
  say(what, "installing …");
  const started = Date.now();
  const { status, stdout, stderr, error } = await outcome(program, args, env);
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`);
    fail(`${what}: ${error?.message ?? `${program} ${args[0]} ended with exit code ${status}`}`);
  }
  say(what, `installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

/** Runs a program. Returns its exit code and output. */
function outcome(program, args, env = process.env) {
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (output[name] += text));
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ ...output, status: null, error }));
    child.once("close", (status) => resolve({ ...output, status }));
  });
}

function say(what, text) {
  console.log(`setup  ${what.padEnd(14)} ${text}`);
}

/** Aborts the step and the steps that depend on it. */
function fail(text) {
  throw new Error(text);
}
