import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { machineBuild, pipArguments } from "../pinned-packages.mjs";
import { judgeChecks } from "./checks.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Returns the advice where KERNELBOT_PYTHON names this interpreter. */
async function adviceFor(python: string): Promise<string | null | undefined> {
  vi.stubEnv("KERNELBOT_PYTHON", python);
  const checks = await judgeChecks();
  expect(checks).toMatchObject([{ name: "Python", ok: false }]);
  return checks[0]?.fix;
}

const PACKAGES = pipArguments(process.platform, machineBuild());

test("for an interpreter without PyTorch, the advice is the command that installs the pinned build of this machine", async () => {
  const python = join(await mkdtemp(join(tmpdir(), "kernelbot-python-")), "python3");
  await writeFile(python, "#!/bin/sh\necho 'has no torch' >&2; exit 1\n", { mode: 0o755 });
  expect(await adviceFor(python)).toBe(`Install them: ${python} -m pip install ${PACKAGES}`);
});

test("without an interpreter, the advice creates a virtual environment with the pinned build of this machine", async () => {
  expect(await adviceFor("/nowhere/python3")).toMatch(
    /: python3 -m venv (\S+) && \1\/bin\/python3 -m pip install numpy==/,
  );
  expect(await adviceFor("/nowhere/python3")).toContain(`-m pip install ${PACKAGES}`);
});
