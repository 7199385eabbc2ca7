/** Versions of the Python packages that the set-up installs: those of the runner images. */
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const VERSIONS = new URL("../../deploy/images/versions.hcl", import.meta.url);

/**
 * Returns the version of this name in `deploy/images/versions.hcl`.
 * @param {string} name Such as `TORCH_VERSION`.
 * @returns {string}
 */
export function pinned(name) {
  const version = new RegExp(`^variable "${name}" *{ *default = "([^"]+)" *}`, "m").exec(
    readFileSync(VERSIONS, "utf8"),
  )?.[1];
  if (version === undefined) throw new Error(`deploy/images/versions.hcl names no ${name}`);
  return version;
}

/**
 * Returns the build of PyTorch for the accelerator of this machine, as the driver's files show it.
 * @returns {"CPU" | "CUDA" | "ROCM"}
 */
export function machineBuild() {
  const hasDriver = (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "nvidia-smi")));
  if (hasDriver || existsSync("/dev/nvidia0")) return "CUDA";
  return existsSync("/dev/kfd") ? "ROCM" : "CPU";
}

/**
 * Returns the arguments of `pip install` for PyTorch and NumPy, as words of a shell command.
 * @param {string} platform As `process.platform`.
 * @param {"CPU" | "CUDA" | "ROCM"} build
 * @returns {string}
 */
export function pipArguments(platform, build) {
  const [torch = []] = torchArguments(platform, build);
  return [`numpy==${pinned("NUMPY_VERSION")}`, ...torch].join(" ");
}

/**
 * Returns the arguments of `pip install` for PyTorch, the first choice first: the build for the accelerator, or for
 * processors where there is none.
 * @param {string} platform As `process.platform`.
 * @param {"CPU" | "CUDA" | "ROCM"} build
 * @returns {string[][]}
 */
export function torchArguments(platform, build) {
  const torch = `torch==${pinned("TORCH_VERSION")}`;
  const fromIndex = ["--index-url", pinned(`${build}_TORCH_INDEX`), torch];
  // The registry's own build is for CUDA on Linux, and for processors elsewhere.
  if (platform !== "linux") return [[torch]];
  return build === "CUDA" ? [fromIndex, [torch]] : [fromIndex];
}
