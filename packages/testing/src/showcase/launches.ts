/** The launchers of the showcase, with a launch in each state. */
import type { InsertObject } from "kysely";
import type { z } from "zod";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import type { LauncherConfig } from "@kernelbot/server/src/integrations/launchers/config.ts";
import { endLaunch } from "@kernelbot/server/src/integrations/launchers/end.ts";
import { TargetSettings } from "@kernelbot/server/src/integrations/launchers/settings.ts";
import { insertToken } from "@kernelbot/server/src/auth/tokens.ts";
import type { Stage } from "./perform.ts";

const launcher = (
  name: string,
  kind: LauncherConfig["kind"],
  target: string,
  settings: z.input<typeof TargetSettings>,
): LauncherConfig => ({ name, kind, settings: {}, targets: new Map([[target, TargetSettings.parse(settings)]]) });

/** The launches are not processed, so settings of the services are omitted. */
export const LAUNCHERS: readonly LauncherConfig[] = [
  launcher("actions", "github", "H100", {}),
  launcher("cluster", "kubernetes", "H100", {
    maxRunners: 4,
    ratePerHour: 3.95,
    budgetPerDay: 100,
    budgetPerMonth: 2000,
  }),
  launcher("university", "slurm", "MI300", { maxRunners: 2 }),
];

const MINUTE_MS = 60_000;

type Launch = InsertObject<Tables, "launch">;

/** Creates a launch in each state: starting, launched, joined, being ended, failed and ended. */
export async function launches({ database, cast }: Stage, now: Date): Promise<void> {
  const ago = (minutes: number): Date => new Date(now.getTime() - minutes * MINUTE_MS);
  const launch = (at: "actions H100" | "cluster H100" | "university MI300", name: string, minutes: number): Launch => {
    const [launcher = "", target = ""] = at.split(" ");
    return {
      ...{ launcher, target, name, created_at: ago(minutes), due_at: now, ends_by: ago(minutes - 60) },
      rate_per_hour: launcher === "cluster" ? 3.95 : 1,
    };
  };
  const taken = (minutes: number, external_id: string): Partial<Launch> => ({
    ...{ state: "launched", requested_at: ago(minutes), launched_at: ago(minutes), external_id },
  });
  const joined = async (label: string, target: string, minutes: number): Promise<Partial<Launch>> => {
    const accountId = cast.runners.get(target)?.account.id ?? "";
    const { id } = await insertToken(database.db, { accountId, label, scopes: ["runner"], targets: [target] });
    return { state: "joined", token_id: id, joined_at: ago(minutes) };
  };
  const ending = "kernelbot-70b1c93ad4e8";
  const rows: Launch[] = [
    {
      ...launch("university MI300", "kernelbot-0c4be1927f55", 1500),
      ...taken(1500, "4410213"),
      ...{ state: "ended", ended_at: ago(1450) },
    },
    {
      ...launch("actions H100", "kernelbot-e21f80b6a97d", 12),
      ...taken(12, "19384756201"),
      ...{ state: "failed", ended_at: ago(1), failures: 2, retry_at: ago(-4) },
      error: "no runner connected within 10 min: the job waits for a machine with the labels self-hosted, h100",
    },
    {
      ...launch("cluster H100", "kernelbot-5d93a70e61fc", 34),
      ...taken(34, "kernelbot-5d93a70e61fc"),
      ...(await joined("cluster", "H100", 31)),
    },
    {
      ...launch("university MI300", ending, 25),
      ...taken(25, "4410377"),
      ...(await joined("university", "MI300", 22)),
    },
    {
      ...launch("cluster H100", "kernelbot-b86d2f4405a1", 2),
      ...taken(2, "kernelbot-b86d2f4405a1"),
      error: "the pod is pending: 0/9 nodes are available: 9 Insufficient nvidia.com/gpu",
    },
    launch("cluster H100", "kernelbot-19fa3c7be260", 0),
  ];
  // One statement per row, because the rows have different columns.
  for (const row of rows) await database.db.insertInto("launch").values(row).execute();
  await endLaunch(database, cast.administrator, ending);
}
