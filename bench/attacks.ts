import { startTester } from "@kernelbot/tester";
import {
  isExpected,
  judgeKernel,
  loadAttacks,
  loadCorpusProblem,
  loadHonest,
  type Kernel,
} from "../tester/attacks/corpus.ts";
import type { Bench } from "./figure.ts";

/** Counts attacks of the corpus that pass and honest kernels that do not; both must be 0. */
export const attacks: Bench = async () => {
  const problem = await loadCorpusProblem();
  const tester = await startTester();
  const misjudged = async (kernels: Kernel[]): Promise<number> => {
    let count = 0;
    for (const kernel of kernels) {
      const judgement = await judgeKernel(tester, problem, kernel);
      if (isExpected(kernel, judgement)) continue;
      count += 1;
      console.error(`${kernel.name}: expected ${kernel.expect}, got ${JSON.stringify(judgement)}`);
    }
    return count;
  };
  try {
    const cheats = await loadAttacks();
    const honest = await loadHonest();
    return [
      { name: "attacks accepted", value: await misjudged(cheats), unit: `of ${cheats.length}` },
      { name: "honest kernels refused", value: await misjudged(honest), unit: `of ${honest.length}` },
    ];
  } finally {
    await tester.close();
  }
};
