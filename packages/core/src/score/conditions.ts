/** Describes the conditions of an accelerator during timing. */
import { countedRounds } from "./score.ts";
import type { Conditions, Rounds } from "../run/tester-protocol.ts";

/**
 * Formats the conditions of a case: `SM clock 1980 MHz, memory 2619 MHz, 60 to 71 °C, 400 to 650 W, 1 round left out
 * (power brake)`. Null if none were measured.
 */
export function formatConditions(rounds: Rounds): string | null {
  const measured = rounds.flatMap((round) => round.conditions ?? []);
  if (measured.length === 0) return null;
  const range = (name: string, key: "smMhz" | "memoryMhz" | "temperatureC" | "powerW", unit: string): string[] => {
    const values = measured.flatMap((one) => one[key] ?? []).map(Math.round);
    if (values.length === 0) return [];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return [`${name}${low === high ? low : `${low} to ${high}`} ${unit}`];
  };
  return [
    ...range("SM clock ", "smMhz", "MHz"),
    ...range("memory ", "memoryMhz", "MHz"),
    ...range("", "temperatureC", "°C"),
    ...range("", "powerW", "W"),
    ...marks(measured, rounds.length - countedRounds(rounds).length),
  ].join(", ");
}

/** Describes the marked rounds and whether they were left out or counted. */
function marks(measured: readonly Conditions[], leftOut: number): string[] {
  const reasons = measured.flatMap((one) => one.mark ?? []);
  if (reasons.length === 0) return [];
  const rounds = `${reasons.length} ${reasons.length === 1 ? "round" : "rounds"}`;
  return [`${rounds} ${leftOut > 0 ? "left out" : "repeated and counted"} (${[...new Set(reasons)].join("; ")})`];
}
