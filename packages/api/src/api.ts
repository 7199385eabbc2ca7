import { account, device, people, personalData, tokens } from "./account.ts";
import { accounts } from "./accounts.ts";
import { boards } from "./boards.ts";
import { competitions, invites, teams } from "./competitions.ts";
import type { Contract } from "./contract.ts";
import { datasets } from "./datasets.ts";
import { evaluationSessions } from "./evaluation-sessions.ts";
import { evaluations } from "./evaluations.ts";
import { integrations } from "./integrations.ts";
import { kernelbench } from "./kernelbench.ts";
import { moderation } from "./moderation.ts";
import { problems } from "./problems.ts";
import { queue } from "./queue.ts";
import { runner } from "./runner.ts";
import { launchers, runners } from "./runners.ts";
import { runs } from "./runs.ts";
import { submissions } from "./submissions.ts";
import { webhooks } from "./webhooks.ts";

/** The contracts of the endpoints, by subject; those of optional features are in their folders. */
export const api = {
  problems,
  boards,
  submissions,
  evaluations,
  evaluationSessions,
  runs,
  queue,
  competitions,
  invites,
  teams,
  people,
  account,
  personalData,
  tokens,
  device,
  webhooks,
  kernelbench,
  datasets,
  moderation,
  accounts,
  runners,
  launchers,
  runner,
  integrations,
} as const;

export const CONTRACTS: readonly Contract[] = Object.values(api).flatMap((group) => Object.values<Contract>(group));
