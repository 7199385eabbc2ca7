/**
 * The attacks that fit every problem (`tester/attacks/general`): kernels that cheat with the problem's own honest kernel in
 * their hands. Those that lie about the judge itself need no problem, and are judged once, by `tester/attacks`.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { TESTER_DIRECTORY } from "../python.ts";

const FOLDER = join(TESTER_DIRECTORY, "attacks", "general");

export interface Attack {
  /** `general/zeros.py`. */
  name: string;
  /** `answer`, `replay`, `window`, `judge`: what it lies about. */
  group: string;
  /** A module that imports `attacked`. */
  source: string;
}

export async function loadGeneralAttacks(): Promise<Attack[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith(".py")).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const source = await readFile(join(FOLDER, file), "utf8");
      const group = /^# attack: (\w+)\n# expect: refused\n"""/.exec(source)?.[1];
      if (group === undefined)
        throw new Error(`${file} does not begin with "attack: GROUP", "expect: refused" and a sentence`);
      return { name: `general/${file}`, group, source };
    }),
  );
}

/**
 * A submission that attacks a problem: by one of these attacks after the other, so many calls each, the first again after the last.
 * `kernelbot_tester.qualify.corpus` makes the same of one.
 * @param honest A kernel in Python that is right.
 * @param outputs How many of the last tensors are buffers.
 */
export async function attackOn(
  attacks: readonly Attack[],
  honest: string,
  outputs: number,
  calls = 1,
): Promise<string> {
  const helper = await readFile(join(FOLDER, "attacked", "attacked.py"), "utf8");
  const sources = attacks.map(({ source }, index) => [`attack_${index}`, source] as const);
  const modules = { honest, attacked: `OUTPUTS = ${outputs}\n${helper}`, ...Object.fromEntries(sources) };
  // A document in JSON is one in Python too, where there are texts alone.
  return `import itertools
import sys
import types

kernels = []
for name, text in ${JSON.stringify(modules)}.items():
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    if name.startswith("attack_"):
        kernels.append(module.custom_kernel)
turns = itertools.cycle([kernel for kernel in kernels for _ in range(${calls})])


def custom_kernel(data):
    return next(turns)(data)
`;
}
