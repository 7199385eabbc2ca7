import { positiveInteger } from "@kernelbot/cli/src/command/arguments.ts";
import { defineCommand } from "@kernelbot/cli/src/command/command.ts";
import { EXIT } from "@kernelbot/cli/src/command/exit.ts";
import { EXPORT_CONDITION, EXPORT_OPTIONS, exportKernel } from "./export.ts";
import { sourceRepository } from "./source-repository.ts";
import { universalRepository } from "./universal.ts";

export const command = defineCommand({
  name: "export kernel",
  positionals: ["SUBMISSION"],
  options: {
    ...EXPORT_OPTIONS,
    version: { type: "string", value: "N", default: "1", help: "Version of the kernel's interface" },
  },
  notes: [
    "Writes a kernel repository of the Hugging Face Hub with card, licence, receipt and tests. kernels.get_local_kernel " +
      "loads a kernel in Python or Triton from it; one in C++ or CUDA is source for the Hub's builder.",
    EXPORT_CONDITION,
  ],
  run: async ({ version, ...options }, submission) => {
    const number = positiveInteger(version, "a version; use a positive integer");
    await exportKernel(submission, options, (entry, names, header) =>
      entry.language === "py"
        ? universalRepository(entry, names, number)
        : sourceRepository(entry, names, number, header),
    );
    return EXIT.passed;
  },
});
