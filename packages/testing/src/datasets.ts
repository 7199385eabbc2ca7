/** Fixtures for exports: an ended competition, and a snapshot of it. */
import { CompetitionSpec } from "@kernelbot/core";
import { createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import { buildSnapshot } from "@kernelbot/server/src/dataset/build-snapshot.ts";
import { buildSnapshots } from "@kernelbot/server/src/dataset/build.ts";
import { requestSnapshot } from "@kernelbot/server/src/dataset/snapshots.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { inHours } from "./competitions.ts";
import { claimed, failing, person, ranked, reported, runner, submitted } from "./fixtures.ts";

const SOURCE = "import torch\n\n\ndef custom_kernel(data):\n    return torch.add(data, data)\n";

/**
 * Creates the ended competition `spring` with `double`: two authors, one of them with three submissions, one of which
 * failed.
 */
export async function endedSpring(database: Database, organiser: Identity): Promise<void> {
  const dates = { startsAt: inHours(-1), endsAt: inHours(1) };
  const spec = CompetitionSpec.parse({ name: "spring", title: "Spring kernels", problems: ["double"], ...dates });
  await createCompetition(database, organiser, spec);
  const [cleo, dan, box] = await Promise.all([person(database, "cleo"), person(database, "dan"), runner(database)]);
  await ranked(database, cleo, box, 900_000, { licence: "MIT", source: SOURCE });
  await submitted(database, cleo, { licence: "MIT", mode: "ranked", source: `${SOURCE}# wrong\n` });
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  await ranked(database, dan, box, 700_000, { licence: "CC0-1.0", source: `# by hand\n${SOURCE}` });
  await ranked(database, cleo, box, 500_000, { licence: "MIT", source: SOURCE.replace("torch.add", "torch.mul") });
  await database.sql`update competition set ends_at = now() where name = 'spring'`;
}

/** Builds a snapshot of `spring`; returns its id. */
export async function madeSnapshot(database: Database, directory: string, organiser: Identity): Promise<number> {
  const { id } = await requestSnapshot(database, organiser, { competitions: ["spring"] });
  await buildSnapshots(database, directory, { source: "https://kernels.example.org", build: buildSnapshot });
  return id;
}
