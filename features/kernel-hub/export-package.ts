import { defineCommand } from "@kernelbot/cli/src/command/command.ts";
import { EXIT } from "@kernelbot/cli/src/command/exit.ts";
import { EXPORT_CONDITION, EXPORT_OPTIONS, exportKernel } from "./export.ts";
import { pythonPackage } from "./package.ts";

export const command = defineCommand({
  name: "export package",
  positionals: ["SUBMISSION"],
  options: EXPORT_OPTIONS,
  notes: [
    "Writes a Python package with the kernel, the problem's reference, tests, card, licence and receipt, for a pull request " +
      "to another project. Kernels in C++ and CUDA are compiled when the package is installed.",
    EXPORT_CONDITION,
  ],
  run: async (options, submission) => {
    await exportKernel(submission, options, pythonPackage);
    return EXIT.passed;
  },
});
