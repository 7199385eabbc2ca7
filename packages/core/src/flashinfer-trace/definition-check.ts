/** Checks of a definition that concern the judge: its code, its outputs and its number of workloads. */
import type { TraceFault } from "./faults.ts";
import type { DefinitionFacts, TraceSource } from "./source.ts";

/** Adds a fault for each reason why the judge cannot run a definition. */
export function checkDefinition(
  { file, definition, workloads }: TraceSource,
  { facts, targets }: { facts: DefinitionFacts; targets: readonly string[] },
  faults: TraceFault[],
): void {
  const fault = (field: string, what: string) => faults.push({ file, field, what });
  const { outputs, op_type: kind, custom_inputs_entrypoint: custom } = definition;
  if (kind === "sampling")
    fault(
      "op_type",
      "samples are random, so they have no expected value; the judge compares outputs with the reference's",
    );
  if (Object.keys(outputs).length === 0) fault("outputs", "must have at least one output");
  for (const [name, { shape }] of Object.entries(outputs)) {
    if (shape === null) fault(`outputs.${name}.shape`, "is null: the judge has no buffer for a Python scalar; use []");
  }
  for (const index of facts.constraints) fault(`constraints.${index}`, "is not a Python expression");
  checkReference(definition.reference, { ...definition, facts, targets }, (what) => fault("reference", what));
  const usesCustom = workloads.some(({ workload }) =>
    Object.values(workload.inputs).some(({ type }) => type === "custom"),
  );
  if (usesCustom && custom == null) fault("custom_inputs_entrypoint", "is missing, and a workload has custom inputs");
  if (facts.error === null && custom != null && facts.functions[custom] === undefined)
    fault("custom_inputs_entrypoint", `the reference has no top-level function ${JSON.stringify(custom)}`);
  if (workloads.length === 0) fault("", "has no workloads");
  const seen = new Set<string>();
  for (const { workload, file: place } of workloads) {
    if (seen.has(workload.uuid))
      faults.push({ file: place, field: "uuid", what: `${JSON.stringify(workload.uuid)} occurs twice` });
    seen.add(workload.uuid);
  }
}

function checkReference(
  reference: string,
  {
    inputs,
    facts,
    targets,
  }: { inputs: Readonly<Record<string, unknown>>; facts: DefinitionFacts; targets: readonly string[] },
  fault: (what: string) => void,
): void {
  if (facts.error !== null) {
    fault(facts.error);
    return;
  }
  const { run } = facts.functions;
  const count = Object.keys(inputs).length;
  if (run === undefined) fault("has no top-level function run");
  else if (count < run.required || count > (run.most ?? count))
    fault(
      `run takes ${run.required === run.most ? run.most : `${run.required} or more`} arguments, and there are ${count} inputs`,
    );
  for (const name of facts.modules) fault(`imports ${name}; the judge has only PyTorch and NumPy`);
  if (targets.some((target) => target.startsWith("cpu")) && !reference.includes("is_available")) {
    for (const device of facts.devices) fault(`uses ${device}, which the target cpu does not have`);
  }
}
