/** Kind of a target's device. */
export type Device = "cpu" | "accelerator";

/** Returns the kind of device of a target. */
export function deviceOf(target: string): Device {
  return target === "cpu" || target.startsWith("cpu-") ? "cpu" : "accelerator";
}
