import type { Problem, ProblemFinding } from "@kernelbot/core";
import type { Tester } from "../tester.ts";

export async function judgeAttacks(
  _tester: Tester,
  _problem: Problem,
  _target: string,
  _onStep?: (step: string) => void,
  _signal?: AbortSignal,
): Promise<{ judged: number; findings: ProblemFinding[] }> {
  return { judged: 0, findings: [] };
}
