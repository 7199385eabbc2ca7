/**
 * Maps targets to hardware. `cpu` accepts any machine. A target that the operator configured requires the configured
 * device; any other target that names a device of a data sheet, such as `H100`, `MI300x8` or `B200_lab`, requires that
 * device; all other targets accept any accelerator.
 */
import { quote } from "../errors.ts";
import { dataSheetOf, sheetsOf } from "./hardware.ts";
import { machineName, type Machine } from "./machine.ts";
import { deviceOf } from "../vocabulary/device.ts";

/** Operator's configuration: per target, a regular expression for the driver's complete model name. */
export type TargetHardware = ReadonlyMap<string, RegExp>;

/** Returns why a machine does not match a target, in a sentence for its operator; null if it matches. */
export function hardwareMismatch(target: string, machine: Machine, stated: TargetHardware = new Map()): string | null {
  if (deviceOf(target) === "cpu") return null;
  const count = deviceCount(target);
  const devices = machine.accelerators.slice(0, count);
  const isFitting = fitting(target, stated);
  const odd = devices.find(({ model }) => !isFitting.test(model));
  if (odd === undefined && devices.length === count) return null;
  const actual =
    machine.accelerators.length === 0
      ? `${quote(machine.hostname)} has no accelerator that its driver reports (${machineName(machine)})`
      : `${quote(machine.hostname)} has ${machineName(machine)}`;
  const needs = `${count === 1 ? "" : `${count} × `}${isFitting.words}`;
  return `the target ${target} is ${needs}, and ${actual}; start the runner for this machine's own target`;
}

/** Returns the number of devices of a target: 8 for `H100x8`. */
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
    return {
      test: (model) => pattern.test(model),
      words: `the device that this server's operator configured: ${pattern.source}`,
    };
  }
  const sheets = sheetsOf(target);
  if (sheets.length === 0) return { test: () => true, words: "an accelerator" };
  return {
    test: (model) => sheets.some(({ name }) => name === dataSheetOf(model)?.name),
    words: sheets.map(({ name }) => name).join(" or "),
  };
}
