import type { ChartSeries } from "../../chart/data.ts";

/** Fills the legend with a button for each series, pressed while the series is drawn. */
export function fillLegend(
  legend: HTMLElement,
  series: readonly ChartSeries[],
  hidden: ReadonlySet<string>,
  toggle: (label: string) => void,
): void {
  const items = series.map(({ label, tone, kind }) => {
    const item = document.createElement("li");
    item.className = `tone-${tone} ${kind}`;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.setAttribute("aria-pressed", String(!hidden.has(label)));
    button.addEventListener("click", () => {
      toggle(label);
      button.setAttribute("aria-pressed", String(!hidden.has(label)));
    });
    item.append(button);
    return item;
  });
  legend.replaceChildren(...items);
}
