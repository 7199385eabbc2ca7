/** The features of the server. */
import { KernelBotError, quote } from "@kernelbot/core";
import { OPTIONAL_FEATURES } from "@kernelbot/features/index.ts";
import { artifacts } from "./artifacts/feature.ts";
import { auth } from "./auth/feature.ts";
import { boards } from "./boards/feature.ts";
import { competitions } from "./competitions/feature.ts";
import { dataset } from "./dataset/feature.ts";
import type { PersonalTable } from "./db/personal-tables.ts";
import { docs } from "./docs/feature.ts";
import { downloads } from "./downloads/feature.ts";
import { evaluations } from "./evaluations/feature.ts";
import type { Feature } from "./feature.ts";
import { site } from "./http/feature.ts";
import { discord } from "./integrations/discord/feature.ts";
import { launchers } from "./integrations/launchers/feature.ts";
import { kernelbench } from "./kernelbench/feature.ts";
import { live } from "./live/feature.ts";
import { moderation } from "./moderation/feature.ts";
import { operations } from "./operations/feature.ts";
import { people } from "./people/feature.ts";
import { personalData } from "./personal-data/feature.ts";
import { problems } from "./problems/feature.ts";
import { queue } from "./queue/feature.ts";
import { runners } from "./runners/feature.ts";
import { runs } from "./runs/feature.ts";
import { submissions } from "./submissions/feature.ts";
import { webhooks } from "./webhooks/feature.ts";

/** All features, in the order in which they are prepared and their jobs run: each follows those that it uses. */
export const FEATURES: readonly Feature[] = [
  site,
  auth,
  queue,
  submissions,
  problems,
  boards,
  competitions,
  runs,
  runners,
  artifacts,
  moderation,
  people,
  personalData,
  live,
  docs,
  downloads,
  evaluations,
  kernelbench,
  dataset,
  operations,
  webhooks,
  launchers,
  discord,
  ...OPTIONAL_FEATURES,
];

/**
 * Returns the features without the named optional ones, and those that need them.
 * @throws KernelBotError `bad_request` for a name that no optional feature has.
 */
export function featuresWithout(names: readonly string[]): readonly Feature[] {
  const optional = OPTIONAL_FEATURES.map(({ name }) => name);
  const unknown = names.find((name) => !optional.includes(name));
  if (unknown !== undefined) {
    throw new KernelBotError(
      "bad_request",
      `--without: ${quote(unknown)} is not an optional feature; use ${optional.join(", ")}`,
    );
  }
  const without = new Set(names);
  // Each feature follows those that it needs in the list.
  for (const { name, needs = [] } of OPTIONAL_FEATURES) if (needs.some((need) => without.has(need))) without.add(name);
  return FEATURES.filter(({ name }) => !without.has(name));
}

/**
 * What the database stores about a person, by table, in the order in which an erasure executes the statements: those of
 * a feature before those of the features that it uses.
 */
export const PERSONAL_TABLES: readonly PersonalTable[] = FEATURES.toReversed().flatMap(
  ({ personalData: tables = [] }) => tables,
);
