import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { machineBuild, pinned, pipArguments, torchArguments } from "./pinned-packages.mjs";

const TORCH = `torch==${pinned("TORCH_VERSION")}`;

afterEach(() => void vi.unstubAllEnvs());

test("a machine with the driver of NVIDIA gets the build for CUDA", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kernelbot-driver-"));
  await writeFile(join(folder, "nvidia-smi"), "");
  vi.stubEnv("PATH", folder);
  expect(machineBuild()).toBe("CUDA");
});

test("the words for a shell name NumPy and PyTorch in pinned versions", () => {
  expect(pipArguments("linux", "CPU")).toBe(
    `numpy==${pinned("NUMPY_VERSION")} --index-url https://download.pytorch.org/whl/cpu ${TORCH}`,
  );
});

test("PyTorch is installed in a pinned version", () => {
  expect(TORCH).toMatch(/^torch==\d+\.\d+\.\d+$/);
});

test("without an accelerator only a build for processors is installed", () => {
  expect(torchArguments("linux", "CPU")).toEqual([["--index-url", "https://download.pytorch.org/whl/cpu", TORCH]]);
});

test("an AMD device gets a build for ROCm only", () => {
  expect(torchArguments("linux", "ROCM")).toEqual([["--index-url", expect.stringMatching(/whl\/rocm[\d.]+$/), TORCH]]);
});

test("an NVIDIA device gets the build for the CUDA of the images, else the registry's, which is for CUDA", () => {
  expect(torchArguments("linux", "CUDA")).toEqual([
    ["--index-url", expect.stringMatching(/whl\/cu\d+$/), TORCH],
    [TORCH],
  ]);
});

test("on macOS the registry's build is for processors", () => {
  expect(torchArguments("darwin", "CPU")).toEqual([[TORCH]]);
});

test("a version that is not listed is an error", () => {
  expect(() => pinned("NOTHING_VERSION")).toThrow("names no NOTHING_VERSION");
});
