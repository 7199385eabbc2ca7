/** Makes a virtual environment with pinned PyTorch; see the module. */
export function makeEnvironment(
  folder: string,
  outcome: (program: string, args: string[]) => Promise<{ status: number | null; stdout: string; stderr: string }>,
): Promise<string>;
