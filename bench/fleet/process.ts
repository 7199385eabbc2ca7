/** Process of simulated runners. It is controlled by messages from its parent process, and ends with it. */
import { Agent } from "node:http";
import { runRunner, type Measured, type Pace } from "./runner.ts";

export interface Start {
  type: "start";
  url: string;
  token: string;
  runners: { name: string; target: string }[];
  pace: Pace;
}
export type Order = Start | { type: "pace"; pace: Pace } | { type: "measure" };

const nothing = (): Measured => ({ claimsMs: [], reportsMs: [], delivered: 0, stale: 0 });
const pace: Pace = { runMs: 0 };
const measured = nothing();

process.on("message", (order: Order) => {
  switch (order.type) {
    case "start": {
      Object.assign(pace, order.pace);
      const connection = { url: order.url, token: order.token, agent: new Agent({ keepAlive: true }) };
      for (const runner of order.runners) void runRunner(connection, runner, pace, measured);
      break;
    }
    case "pace":
      Object.assign(pace, order.pace);
      break;
    case "measure":
      process.send?.({ ...measured });
      Object.assign(measured, nothing());
  }
});
process.on("disconnect", () => process.exit());
