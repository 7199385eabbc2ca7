import { expect, test } from "vitest";
import { pinned } from "../tester/node/pinned-packages.mjs";
import { makeEnvironment } from "./python-environment.mjs";

const TORCH = `torch==${pinned("TORCH_VERSION")}`;

/** Makes the environment where the call with this argument fails; returns the calls and the error. */
async function made(failing: string | null, output: { stdout?: string; stderr?: string } = {}) {
  const calls: string[] = [];
  const outcome = async (program: string, args: string[]) => {
    calls.push([program, ...args].join(" "));
    const status = failing !== null && args.includes(failing) ? 1 : 0;
    return { status, stdout: "", stderr: "", ...(status === 0 ? {} : output) };
  };
  const result = await makeEnvironment("/env", outcome).catch((error: unknown) => (error as Error).message);
  return { calls, result };
}

test("the environment has pinned versions", async () => {
  const { calls, result } = await made(null);
  expect(result).toBe("/env/bin/python3");
  expect(calls[0]).toBe("python3 -m venv --clear /env");
  expect(calls[1]).toContain(` numpy==${pinned("NUMPY_VERSION")} `);
  expect(calls[2]).toMatch(new RegExp(`^/env/bin/python3 -m pip install .*${TORCH}$`));
});

test("where the registry has other versions only, the error names them", async () => {
  const error = `Could not find a version that satisfies the requirement ${TORCH} (from versions: 2.99.0)`;
  const stderr = `WARNING: a location is ignored\nERROR: ${error}\nERROR: No matching distribution found for ${TORCH}\n`;
  expect((await made(TORCH, { stderr })).result).toBe(error);
});

test("where Python cannot make an environment, the error is Python's and nothing is installed", async () => {
  const stdout = "The virtual environment was not created successfully because ensurepip is not\navailable.\n";
  const { calls, result } = await made("venv", { stdout });
  expect(result).toBe("The virtual environment was not created successfully because ensurepip is not");
  expect(calls).toHaveLength(1);
});
