/**
 * Attacks that apply to every problem (`tester/attacks/general`): kernels that cheat using the problem's own honest
 * kernel. Attacks on the judge itself need no problem and are tested once, by `tester/attacks`.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { TESTER_DIRECTORY } from "../python.ts";

const FOLDER = join(TESTER_DIRECTORY, "attacks", "general");

export interface Attack {
  /** Name of the attack: `general/zeros.py`. */
  name: string;
  /** What the attack falsifies: `answer`, `replay`, `window` or `judge`. */
  group: string;
  /** Source of a module that imports `attacked`. */
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
 * Returns a submission that attacks a problem with each attack in turn, `calls` calls each, starting over after the
 * last. `kernelbot_tester.qualify.corpus` generates the same for one attack.
 * @param honest Correct kernel in Python.
 * @param outputs Number of trailing tensors that are output buffers.
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
  // A JSON document of only strings is valid Python, too.
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
