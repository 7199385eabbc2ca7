/** Values of YAML 1.1 as PyYAML reads them, which differ from YAML 1.2. */

const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const NULL = /^(?:~|null|Null|NULL|)$/;
const INTEGER = /^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]+|0|[1-9][0-9_]*|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)$/;
const SPECIAL = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/**
 * Returns the value of a plain scalar. Null where YAML 1.2 reads the same: null and numbers that are not finite. Dates are
 * text in both, since no key has a date.
 */
export function yaml11Value(source: string): boolean | number | string | null {
  if (NULL.test(source) || SPECIAL.test(source)) return null;
  if (TRUE.test(source)) return true;
  if (FALSE.test(source)) return false;
  if (INTEGER.test(source) || FLOAT.test(source)) return number(source.replaceAll("_", ""));
  return source;
}

function number(source: string): number {
  const sign = source.startsWith("-") ? -1 : 1;
  const digits = source.replace(/^[-+]/, "");
  // Sexagesimal: 1:30 is 90.
  if (digits.includes(":")) return sign * digits.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  if (/^0[0-7]+$/.test(digits)) return sign * Number.parseInt(digits, 8);
  return sign * Number(digits);
}
