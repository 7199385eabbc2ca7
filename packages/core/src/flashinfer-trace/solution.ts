/** Solution: an implementation of a definition, with its sources. */
import { z } from "zod";
import { OptionalText, Text, Truth } from "./values.ts";

/** Languages of both dialects, and what runs them. */
export const SOLUTION_LANGUAGES = {
  python: "python",
  pytorch: "python",
  triton: "python",
  tilelang: "python",
  cutedsl: "python",
  cute_dsl: "python",
  cutile: "python",
  cudnn_frontend: "python",
  cpp: "cpp",
  cuda: "cpp",
  cutlass: "cpp",
  cudnn: "cpp",
  cublas: "cpp",
  cuda_cpp: "cpp",
} as const satisfies Record<string, "python" | "cpp">;
export const SolutionLanguage = z.enum(
  Object.keys(SOLUTION_LANGUAGES) as [keyof typeof SOLUTION_LANGUAGES],
  `must be one of ${Object.keys(SOLUTION_LANGUAGES).join(", ")}`,
);
export type SolutionLanguage = z.infer<typeof SolutionLanguage>;

const SourcePath = Text.refine(
  (path) => path.split("/").every((part) => !["", ".", ".."].includes(part)) && !/[\\\0]/.test(path),
  "must be a relative path with /, without empty parts, . and ..",
);

const Flags = z.array(z.string()).default([]);

const Spec = z
  .object({
    language: SolutionLanguage.optional(),
    languages: z.array(SolutionLanguage).optional(),
    target_hardware: z.array(Text).min(1, "must name at least one device"),
    entry_point: z.string().regex(/^[^:]+::[A-Za-z_]\w*$/, "must be FILE::FUNCTION"),
    dependencies: z.array(Text).default([]),
    destination_passing_style: Truth.default(true),
    binding: z.enum(["tvm-ffi", "torch"], "must be tvm-ffi, torch or null").nullish(),
    compile_options: z.object({ cflags: Flags, cuda_cflags: Flags, ld_flags: Flags }).nullish(),
  })
  .superRefine(({ language, languages }, context) => {
    if (language === undefined && languages === undefined)
      context.addIssue({ code: "custom", path: ["language"], message: "is missing" });
    if (new Set((languages ?? []).map((one) => SOLUTION_LANGUAGES[one])).size > 1)
      context.addIssue({ code: "custom", path: ["languages"], message: "Python and C++ cannot be mixed" });
  });
export type SolutionSpec = z.infer<typeof Spec>;

export const Solution = z
  .object({
    name: Text,
    definition: Text,
    author: Text,
    spec: Spec,
    sources: z.array(z.object({ path: SourcePath, content: Text })).min(1, "must have at least one source"),
    description: OptionalText,
  })
  .superRefine(({ spec, sources }, context) => {
    const paths = sources.map(({ path }) => path);
    for (const [index, path] of paths.entries()) {
      if (paths.indexOf(path) < index)
        context.addIssue({ code: "custom", path: ["sources", index, "path"], message: "occurs twice" });
    }
    const [file = ""] = spec.entry_point.split("::");
    const field = ["spec", "entry_point"];
    if (!paths.includes(file)) {
      const message = `${JSON.stringify(file)} is not the path of a source`;
      context.addIssue({ code: "custom", path: field, message });
    }
    const isPython = runsAs(spec) === "python";
    if (isPython !== file.endsWith(".py")) {
      const message = `a solution in ${isPython ? "Python" : "C++"} cannot start in ${JSON.stringify(file)}`;
      context.addIssue({ code: "custom", path: field, message });
    }
  });
export type Solution = z.infer<typeof Solution>;

/** Returns what runs a solution. */
export function runsAs({ language, languages }: SolutionSpec): "python" | "cpp" {
  return SOLUTION_LANGUAGES[language ?? languages?.[0] ?? "python"];
}
