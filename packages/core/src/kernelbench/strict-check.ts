/**
 * Optional stricter check of a submission file before submitting: finds constructs with which code can pass without
 * being a genuine kernel. A text search that runs nothing, so it helps honest authors but does not enforce a rule.
 *
 *     strictFaults({ metadata: { backend: "triton" }, kernels: { level_1_problem_1_sample_0: "try: ..." } }, "fp32")
 */
import type { Backend, KernelBenchEntryFault, KernelBenchEntryFile } from "./entry.ts";
import { errorFault, warningFault } from "./fault.ts";
import { withoutComments } from "./python-text.ts";
import type { Precision } from "./suite.ts";

/** Construct, and the message that follows its line number. */
interface Rule {
  pattern: RegExp;
  what: string;
}

const ERRORS: readonly Rule[] = [
  { pattern: /^[ \t]*(?:try[ \t]*:|except\b)/m, what: "catches an exception, which can hide a fallback" },
  {
    pattern:
      /^[ \t]*(?:torch\.(?:cuda|hip|Tensor|nn)|time|triton\.testing)\.[\w.]+[ \t]*=(?!=)|\bsetattr\(\s*(?:torch|time|triton)\b/m,
    what: "replaces a function of torch, triton or time",
  },
  {
    pattern: /^[ \t]*(?:import|from)[ \t]+(?:threading|_thread|multiprocessing|concurrent|asyncio|subprocess)\b/m,
    what: "can start a thread or process, whose work is not timed",
  },
  {
    pattern:
      /^[ \t]*class[ \t]+\w+[ \t]*\([^)\n]{0,300}\bTensor\b|__torch_(?:function|dispatch)__|_make_(?:wrapper_)?subclass/m,
    what: "a subclass of Tensor can defer its computation until after the timing",
  },
];

const WARNINGS: readonly Rule[] = [
  {
    pattern:
      /\bnn\.(?:Linear|Bilinear|Conv\w*|\w*Norm\w*|\w*Pool\w*|RNN|LSTM|GRU|MultiheadAttention|Transformer\w*)\s*\(/,
    what: "computes with a layer of torch.nn",
  },
  {
    pattern:
      /\b(?:torch\.(?:matmul|mm|bmm|addmm|baddbmm|einsum|conv\w*|softmax|log_softmax|relu|sigmoid|tanh|cumsum|cumprod)|F\.\w+|functional\.\w+)\s*\(|[\w)\]][ \t]*@[ \t]*[\w(]/,
    what: "computes with an operator of PyTorch",
  },
  {
    pattern: /\bcuda\.(?:Stream|ExternalStream|stream|graph|CUDAGraph)\b/,
    what: "uses its own stream or graph",
  },
  { pattern: /^[ \t]*pass\b/m, what: "`pass` may be a branch that does nothing" },
];

/** Also matched in strings, which contain C++ sources. */
const LOWER_PRECISION: Rule = {
  pattern: /\.half\(\)|\bfloat16\b|\bbfloat16\b|\b__half2?\b|\b__nv_bfloat16\b|\.bfloat16\(\)|\btl\.float(?:8|16)\w*/,
  what: "uses a precision below fp32",
};

const CPP_EXTENSION = /\bload_inline\b|\bcpp_extension\b|\bcompile_source\b/;
/** Required parts of a kernel for each backend, in code or in a string. */
const PARTS: Record<Backend, readonly (readonly [RegExp, string])[]> = {
  pytorch: [],
  cuda: [
    [/__global__/, "a function with __global__"],
    [CPP_EXTENSION, "a build by torch.utils.cpp_extension"],
  ],
  hip: [
    [/__global__/, "a function with __global__"],
    [CPP_EXTENSION, "a build by torch.utils.cpp_extension"],
  ],
  triton: [
    [/@(?:triton\.)?(?:jit|autotune)\b/, "a function with @triton.jit"],
    [/\btl\.\w+/, "an operation of triton.language"],
  ],
  cute: [[/@(?:cute|cutlass\.cute)\.(?:kernel|jit)\b/, "a function with @cute.kernel or @cute.jit"]],
  tilelang: [[/\b(?:prim_func|tilelang\.(?:jit|compile))\b/, "a function with @T.prim_func"]],
  thunderkittens: [
    [/kittens/i, "ThunderKittens"],
    [CPP_EXTENSION, "a build by torch.utils.cpp_extension"],
  ],
};

/** Lists all constructs that a reviewer would question. `precision` is that of the suite. */
export function strictFaults(
  { metadata, kernels }: KernelBenchEntryFile,
  precision: Precision,
): KernelBenchEntryFault[] {
  const { backend } = metadata;
  const undeclared =
    backend === undefined ? [errorFault("metadata.backend", "it is missing: the strict check needs it")] : [];
  return [
    ...undeclared,
    ...Object.entries(kernels).flatMap(([key, source]) => {
      const { code, withStrings } = withoutComments(source);
      const lower = precision === "fp32" ? findings(withStrings, [LOWER_PRECISION]) : [];
      return [
        ...findings(code, ERRORS).map((what) => errorFault(key, what)),
        ...missingParts(withStrings, backend).map((what) => errorFault(key, what)),
        ...[...findings(code, WARNINGS), ...lower].map((what) => warningFault(key, what)),
      ];
    }),
  ];
}

function findings(text: string, rules: readonly Rule[]): string[] {
  return rules.flatMap(({ pattern, what }) => {
    const match = pattern.exec(text);
    if (match === null) return [];
    // Start of the construct itself, without leading whitespace.
    const at = match.index + match[0].search(/\S/);
    return [`line ${text.slice(0, at).split("\n").length}: ${what}`];
  });
}

function missingParts(text: string, backend: Backend | undefined): string[] {
  const parts = backend === undefined ? [] : PARTS[backend];
  return parts
    .filter(([pattern]) => !pattern.test(text))
    .map(([, part]) => `${backend} is the declared backend, but ${part} is missing`);
}
