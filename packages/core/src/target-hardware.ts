/**
 * What hardware a target stands for. A target that names a device of a data sheet, as `H100`, `MI300x8` or `B200_lab`, is
 * that device; `cpu` is any machine; of another name the operator says which device it is, and else it is any accelerator.
 */
import { quote } from "./errors.ts";
import { dataSheetOf, sheetsOf } from "./hardware.ts";
import { machineName, type Machine } from "./machine.ts";
import { deviceOf } from "./score.ts";

/** What an operator says of targets: a regular expression for the whole name by which the driver calls the device. */
export type TargetHardware = ReadonlyMap<string, RegExp>;

/** Why a machine is not what a target stands for, in a sentence for its operator; null where it is. */
export function hardwareRefusal(target: string, machine: Machine, stated: TargetHardware = new Map()): string | null {
  if (deviceOf(target) === "cpu") return null;
  const wanted = deviceCount(target);
  const devices = machine.accelerators.slice(0, wanted);
  const isFitting = fitting(target, stated);
  const odd = devices.find(({ model }) => !isFitting.test(model));
  if (odd === undefined && devices.length === wanted) return null;
  const found =
    machine.accelerators.length === 0
      ? `${quote(machine.hostname)} has no accelerator that its driver shows (${machineName(machine)})`
      : `${quote(machine.hostname)} has ${machineName(machine)}`;
  const needs = `${wanted === 1 ? "" : `${wanted} × `}${isFitting.words}`;
  return `the target ${target} is ${needs}, and ${found}; start the runner for the target that this machine is`;
}

/** `H100x8` is eight of them. */
function deviceCount(target: string): number {
  return Number(/x([1-9]\d?)$/.exec(target)?.[1] ?? 1);
}

interface Fitting {
  test: (model: string) => boolean;
  words: string;
}

function fitting(target: string, stated: TargetHardware): Fitting {
  const pattern = stated.get(target);
  if (pattern !== undefined) {
    return { test: (model) => pattern.test(model), words: `what this server's operator calls it: ${pattern.source}` };
  }
  const sheets = sheetsOf(target);
  if (sheets.length === 0) return { test: () => true, words: "an accelerator" };
  return {
    test: (model) => sheets.some(({ name }) => name === dataSheetOf(model)?.name),
    words: sheets.map(({ name }) => name).join(" or "),
  };
}
