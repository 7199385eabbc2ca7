/** Compares texts by code units, independent of the machine's locale. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
