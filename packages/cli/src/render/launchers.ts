/** Launchers and their launches as tables. */
import type { Launch, LauncherTarget } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { table } from "./table.ts";
import { moment } from "./format.ts";

/** Formats launchers, one row per target. */
export function launcherLines(targets: readonly LauncherTarget[], width: number, style: Style): string[] {
  if (targets.length === 0)
    return ["This server has no launchers; to configure one, see docs/guides/start-runners-on-demand.md."];
  const rows = targets.map((each) => [
    each.launcher,
    each.target,
    `${each.open}/${each.maxRunners}`,
    spent(each.spentToday, each.budgetPerDay),
    spent(each.spentThisMonth, each.budgetPerMonth),
    each.onHold ? style.yellow(each.explanation) : each.explanation,
  ]);
  const columns = [
    { title: "launcher" },
    { title: "target" },
    { title: "runners", side: "right" },
    { title: "spent today", side: "right" },
    { title: "this month", side: "right" },
    { title: "status", shrinks: true },
  ] as const;
  return table(columns, rows, width, style);
}

/** Formats launches, one row each. */
export function launchLines(launches: readonly Launch[], width: number, style: Style): string[] {
  if (launches.length === 0) return ["No launches yet."];
  const rows = launches.map(({ name, launcher, target, state, ending, createdAt, cost, error }) => [
    name,
    launcher,
    target,
    state === "failed" ? style.red(state) : ending ? style.yellow("ending") : state,
    moment(createdAt),
    money(cost),
    error ?? "",
  ]);
  const columns = [
    { title: "launch" },
    { title: "launcher" },
    { title: "target" },
    { title: "state" },
    { title: "since" },
    { title: "cost", side: "right" },
    { title: "error", shrinks: true },
  ] as const;
  return table(columns, rows, width, style);
}

function spent(amount: number, budget: number | null): string {
  return budget === null ? money(amount) : `${money(amount)}/${money(budget)}`;
}

function money(amount: number): string {
  return amount.toFixed(2);
}
