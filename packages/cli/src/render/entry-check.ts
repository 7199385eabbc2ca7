/** Formats the result of a validation: number of kernels per level, and every fault. */
import type { KernelBenchEntryCheck } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { formatCount, listed, oneLine, wrap } from "../output/text.ts";

export function checkLines(check: KernelBenchEntryCheck, width: number, style: Style): string[] {
  const { ok, faults, levels, kernels } = check;
  const of = levels.map(({ level, submitted, problems }) => `level ${level}: ${submitted} of ${problems} problems`);
  return [
    ...wrap(`${formatCount(kernels, "kernel")}; ${listed(of)}.`, width),
    ...faults.flatMap(({ key, severity, what }) => {
      const mark = severity === "error" ? style.red("error") : style.yellow("warning");
      const [first = "", ...more] = wrap(`${key === null ? "" : `${oneLine(key)}: `}${oneLine(what)}`, width - 9);
      return [`${mark}${severity === "error" ? "    " : "  "}${first}`, ...more.map((line) => `         ${line}`)];
    }),
    ok ? style.green("The file can be submitted.") : style.red("The file cannot be submitted: fix the errors."),
  ];
}
