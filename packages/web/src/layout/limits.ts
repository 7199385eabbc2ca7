import { LIMIT_QUANTITIES, type Limit, type LimitQuantity } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { right, table } from "./table.ts";

const HEADINGS: Record<LimitQuantity, string> = {
  per_hour: "Submissions an hour",
  concurrent: "Runs at once",
  gpu_seconds_per_day: "GPU-seconds a day",
};

/** Renders the limits of each account: a row for each mode, a column for each quantity that has a limit. */
export function limitTable(limits: readonly Limit[]): Html {
  const quantities = LIMIT_QUANTITIES.filter((quantity) => limits.some((limit) => limit.quantity === quantity));
  return table({
    label: "Limits of each account",
    columns: ["Mode", ...quantities.map((quantity) => right(HEADINGS[quantity]))],
    rows: [...Map.groupBy(limits, ({ mode }) => mode)].map(
      ([mode, own]) =>
        html`<tr>
          <th scope="row">${mode}</th>
          ${quantities.map((quantity) => html`<td class="right number">${bound(own, quantity)}</td>`)}
        </tr>`,
    ),
  });
}

function bound(limits: readonly Limit[], quantity: LimitQuantity): string {
  const limit = limits.find((one) => one.quantity === quantity);
  if (limit === undefined) return "no limit";
  return limit.bound === 0 ? "closed" : limit.bound.toLocaleString("en-US");
}
