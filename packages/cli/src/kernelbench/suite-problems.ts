/** Problems that a submission file is checked against: those of KernelBench, of a suite, or of a checkout. */
import { KERNELBENCH, type CheckedSuite } from "@kernelbot/core";
import { SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { UsageError } from "../command/exit.ts";
import { readCheckout } from "./checkout.ts";

export const SUITE_OPTIONS = {
  suite: { type: "string", value: "NAME", help: "Check against a suite of the server" },
  dir: { type: "string", value: "CHECKOUT", help: "Check against the problems of a KernelBench checkout" },
  ...SERVER_OPTION,
} as const;

export const SUITE_NOTE =
  "Without --suite and --dir, no request is sent, and the problems are 1 to 100 of levels 1 and 2, and 1 to 50 of level 3.";

interface Named {
  suite: string | undefined;
  dir: string | undefined;
  server: string | undefined;
}

export async function namedSuite({ suite, dir, server }: Named): Promise<CheckedSuite> {
  if (suite !== undefined && dir !== undefined) throw new UsageError("use --suite or --dir, not both");
  if (dir !== undefined) return { problems: await readCheckout(dir) };
  return suite === undefined ? KERNELBENCH : (await connect(server)).client.kernelbench.suite(suite);
}
