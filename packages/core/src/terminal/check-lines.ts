/** Tables of checks, for terminals. */
import type { Check, Qualification, QualificationCheck } from "../run/tester-protocol.ts";
import { oneLine } from "../text/text.ts";
import { pad, wrap } from "./columns.ts";
import { tick, type Style } from "./style.ts";

/** Formats checks under the question that they answer together. */
export function checkLines(question: string, checks: readonly Check[], columns: number, style: Style): string[] {
  const can = checks.every((check) => check.ok);
  const answer = can ? style.green("yes") : style.red("no");
  return [`${style.bold(question)} ${answer}`, ...each(checks, columns, style)];
}

/** Formats a machine's qualification with its measurements. */
export function qualificationLines(
  { ok, qualified, verdict, device, tookS, checks }: Qualification,
  columns: number,
  style: Style,
): string[] {
  const answer = qualified ? style.green("yes") : ok ? "not decided: run all checks" : style.red("no");
  return [
    `${style.bold(`Can this machine rank (${device})?`)} ${answer}`,
    ...each(checks, columns, style),
    ...wrap(oneLine(verdict), columns),
    style.dim(`${Math.round(tookS)} s`),
  ];
}

function each(checks: readonly (Check | QualificationCheck)[], columns: number, style: Style): string[] {
  const width = Math.max(...checks.map((check) => check.name.length));
  const indent = " ".repeat(width + 6);
  const wrapped = (text: string) => wrap(oneLine(text), columns - width - 8);
  return checks.flatMap((check) => {
    const { ok, name, detail, fix } = check;
    const [first = "", ...rest] = wrapped(detail);
    const figures = "figures" in check ? check.figures : [];
    return [
      `  ${tick(ok, style)} ${pad(oneLine(name), width)}  ${first}`,
      ...rest.map((line) => indent + line),
      ...figures.map((one) => indent + style.dim(`${one.name} ${rounded(one.value)} ${one.unit}`)),
      ...(fix === null ? [] : wrapped(fix).map((line, at) => `${indent}${at === 0 ? "→" : " "} ${line}`)),
    ];
  });
}

/** Formats a number with three significant digits; integers and numbers from 100 on without decimals. */
function rounded(value: number): string {
  return Number.isInteger(value) || value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
