/** Backend of an exported kernel, from the machine on which it was judged. */
import { deviceOf, type Receipt } from "@kernelbot/core";

export interface Backend {
  type: "cpu" | "cuda" | "rocm";
  /** Architectures by the Hub's names, such as `9.0` and `gfx942`; empty on a CPU. */
  archs: string[];
  /** Device of the exported tests, as PyTorch names it. */
  device: "cpu" | "cuda";
}

/** Returns the backend on which a run passed; null if its machine reports neither CUDA nor HIP. */
export function backendOf({ target, machine }: Pick<Receipt, "target" | "machine">): Backend | null {
  if (deviceOf(target) === "cpu") return { type: "cpu", archs: [], device: "cpu" };
  const type = /^CUDA\b/.test(machine.runtime ?? "") ? "cuda" : /^HIP\b/.test(machine.runtime ?? "") ? "rocm" : null;
  if (type === null) return null;
  const archs = machine.accelerators.flatMap(({ architecture }) => architectureName(architecture) ?? []);
  return { type, archs: [...new Set(archs)], device: "cuda" };
}

/** Returns `9.0` for `sm_90a`, and names that are not of CUDA unchanged. */
function architectureName(architecture: string | null): string | null {
  const cuda = /^sm_(\d+)(\d)[a-z]?$/.exec(architecture ?? "");
  return cuda === null ? architecture : `${cuda[1]}.${cuda[2]}`;
}
