import { expect, test } from "vitest";
import { findPython } from "./python.ts";

test("finds an interpreter that has PyTorch, by its absolute path", async () => {
  const { path, torchVersion } = await findPython();
  expect(path).toMatch(/^\//);
  expect(torchVersion).toMatch(/^\d+\.\d+/);
});

test("takes the interpreter that KERNELBOT_PYTHON names, and no other", async () => {
  const { path } = await findPython();
  expect((await findPython({ KERNELBOT_PYTHON: path, PATH: "" })).path).toBe(path);
  await expect(findPython({ ...process.env, KERNELBOT_PYTHON: "/nowhere/python3" })).rejects.toThrow(
    'KERNELBOT_PYTHON: "/nowhere/python3" is missing',
  );
});

test("says what an interpreter lacks and what to do", async () => {
  const { path } = await findPython();
  // Isolated mode without site directories: a Python with only the standard library.
  await expect(findPython({ ...process.env, KERNELBOT_PYTHON: path, PYTHONHOME: "/nowhere" })).rejects.toThrow(
    /KERNELBOT_PYTHON: .*Install what is missing there/,
  );
});

test("a program that is not a Python is not taken for one", async () => {
  await expect(findPython({ KERNELBOT_PYTHON: "/bin/true" })).rejects.toThrow("is not a Python");
});
