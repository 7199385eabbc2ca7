import { expect, test } from "vitest";
import { pinned, torchArguments } from "./pinned-packages.mjs";

const TORCH = `torch==${pinned("TORCH_VERSION")}`;

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
