/** `task.yml` of an imported definition. */
import { stringify } from "yaml";
import type { Case } from "../vocabulary/specification.ts";
import type { TraceTensor } from "./definition.ts";
import type { ResolvedWorkload } from "./inputs.ts";
import type { TraceSource } from "./source.ts";

/** Limits of the stages in seconds: a reference explains, and is slow on a CPU. */
const TIMEOUTS = { prepare_timeout: 300, test_timeout: 600, benchmark_timeout: 900, ranked_timeout: 1800 };

const GIVEN = "The tolerance is that of the workloads, which were imported.";

export function taskText(
  source: TraceSource,
  cases: Readonly<Record<string, readonly ResolvedWorkload[]>>,
  leftOut: readonly { uuid: string; why: string }[],
): string {
  const [first = ""] = Object.keys(cases);
  const targets = Object.entries(cases).map(
    ([target, own]) => [target, target === first ? null : casesOf(own)] as const,
  );
  return stringify(
    {
      description: description(source, cases, leftOut),
      ...casesOf(cases[first] ?? []),
      targets: Object.fromEntries(targets),
      outputs: Object.keys(source.definition.outputs).length,
      lower_precision: { inputs: GIVEN, results: GIVEN },
      ranking_by: "geom",
      templates: { Python: "template.py" },
      ...TIMEOUTS,
    },
    { lineWidth: 0 },
  );
}

/** Tests of all workloads, the first one twice with another seed, and benchmarks of those with fresh inputs. */
function casesOf(workloads: readonly ResolvedWorkload[]): { tests: Case[]; benchmarks: Case[] } {
  const fresh = workloads.filter(({ isFresh }) => isFresh);
  const [first] = fresh;
  return {
    tests: [...workloads, ...(first === undefined ? [] : [first])].map((each, index) => caseOf(each, 2001 + index)),
    benchmarks: fresh.map((each, index) => caseOf(each, 1001 + index)),
  };
}

/** The uuid names the workload; sizes are for readers. */
function caseOf({ source, axes }: ResolvedWorkload, seed: number): Case {
  const { workload } = source;
  const shown = Object.keys(workload.axes).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  const sizes = shown.map((name) => [name, axes.get(name) ?? 0] as const);
  return { ...Object.fromEntries(sizes), workload: workload.uuid, seed };
}

function description(
  { definition, workloads }: TraceSource,
  cases: Readonly<Record<string, readonly ResolvedWorkload[]>>,
  leftOut: readonly { uuid: string; why: string }[],
): string {
  const { name, op_type: kind, description: text, tags, hf_id: model, axes, inputs, outputs, constraints } = definition;
  const fixed = new Set(
    Object.values(cases)
      .flat()
      .filter(({ isFresh }) => !isFresh),
  );
  const parts = [
    `FlashInfer Trace definition \`${name}\`${kind == null ? "" : `, operator \`${kind}\``}${model == null ? "" : `, of the model \`${model}\``}.`,
    text ?? "",
    list(
      "Axes",
      Object.entries(axes).map(([axis, about]) => `\`${axis}\`${sizeText(about)}${words(about.description)}`),
    ),
    list("Inputs", Object.entries(inputs).map(tensorText)),
    list("Outputs, the last parameters", Object.entries(outputs).map(tensorText)),
    list(
      "Constraints",
      constraints.map((each) => `\`${each}\``),
    ),
    list(
      "Tags",
      tags.map((each) => `\`${each}\``),
    ),
    "A kernel is `custom_kernel(data)` with inputs and output buffers in this order, or `run`: with the inputs it returns the outputs; with inputs and outputs it writes them. The reference is `definition.py`, the workloads are in `workloads.jsonl`. Returned outputs are copied to the buffers while the clock runs.",
    list("Tolerances", [...new Set(workloads.map(toleranceText))]),
    fixed.size === 0
      ? ""
      : `Not timed, since every tensor comes from a file: ${names([...fixed].map(({ source }) => source.workload.uuid))}.`,
    list(
      "Workloads that are no cases",
      leftOut.map(({ uuid, why }) => `\`${uuid}\`: ${why}`),
    ),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function sizeText(axis: TraceSource["definition"]["axes"][string]): string {
  if (axis.type === "const") return ` = ${axis.value}`;
  return axis.type === "expr" ? ` = \`${axis.expression}\`` : ", of the workload";
}

function tensorText([name, { shape, dtype, description: about }]: [string, TraceTensor]): string {
  return `\`${name}\`: ${dtype}${shape === null ? ", a Python scalar" : ` [${shape.join(", ")}]`}${words(about)}`;
}

function words(text: string | null | undefined): string {
  return text == null || text === "" ? "" : `: ${text}`;
}

/** Names the first 20. */
function names(all: readonly string[]): string {
  const shown = all.slice(0, 20).map((each) => `\`${each}\``);
  return all.length > 20 ? `${shown.join(", ")} and ${all.length - 20} more` : shown.join(", ");
}

function list(title: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `${title}:\n\n${items.map((item) => `- ${item}`).join("\n")}`;
}

function toleranceText({ form, workload }: TraceSource["workloads"][number]): string {
  if (form === "trace") return "an element is correct if its absolute or its relative error is at most 0.01";
  const {
    max_atol: atol = 0.01,
    max_rtol: rtol = 0.01,
    required_matched_ratio: ratio = 0.99,
    max_error_cap: cap = null,
  } = workload.tolerance ?? {};
  const limit = cap === null ? "" : `, and no error may exceed ${cap}`;
  return `an element is correct if \`|got - expected| <= ${atol} + ${rtol} * |expected|\`; ${ratio * 100} % must be correct${limit}`;
}
