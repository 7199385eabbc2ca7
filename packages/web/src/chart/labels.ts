/**
 * Appends a number to repeated names, since the labels of series are unique: `Model`, `Model (2)`.
 * @param taken Labels of other series.
 */
export function uniqueLabels(names: readonly string[], taken: readonly string[] = []): string[] {
  const used = new Set(taken);
  return names.map((name) => {
    let label = name;
    for (let times = 2; used.has(label); times += 1) label = `${name} (${times})`;
    used.add(label);
    return label;
  });
}
