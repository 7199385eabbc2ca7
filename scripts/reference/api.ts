/** Tables of the endpoints in the reference page of the HTTP API, whose other text is written by hand. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { api, CONTRACTS, DEFAULT_BODY, type Contract } from "@kernelbot/api";
import { formatBytes } from "@kernelbot/core";
import { OPTIONAL_FEATURES } from "@kernelbot/features/index.ts";
import { contractsOf } from "../../packages/server/src/app.ts";

const PAGE = resolve(import.meta.dirname, "../../docs/reference/api.md");
const [START, END] = ["<!-- generated: endpoints -->", "<!-- end: endpoints -->"];

const TITLES: Record<keyof typeof api, string> = {
  problems: "Problems",
  boards: "Boards",
  submissions: "Submissions",
  evaluations: "Evaluations",
  evaluationSessions: "Evaluation sessions",
  runs: "Runs",
  queue: "Queue",
  competitions: "Competitions",
  invites: "Invite codes",
  teams: "Teams",
  people: "Profiles",
  account: "The caller's account",
  personalData: "The caller's data",
  tokens: "Tokens",
  device: "Device authorization",
  webhooks: "Webhooks",
  kernelbench: "KernelBench",
  datasets: "Datasets",
  moderation: "Moderation",
  accounts: "Accounts",
  runners: "Runners",
  launchers: "Launchers",
  runner: "Protocol of runners",
  integrations: "Integrations",
};

/** Returns the page with the generated section replaced. */
export function apiPage(): string {
  const page = readFileSync(PAGE, "utf8");
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${PAGE} lacks ${START} or ${END}`);
  const groups = [
    ...Object.entries(api).map(([name, group]) => ({
      title: TITLES[name as keyof typeof api],
      contracts: Object.values<Contract>(group),
    })),
    ...OPTIONAL_FEATURES.flatMap(({ title, endpoints = [] }) =>
      title === undefined ? [] : [{ title, contracts: endpoints.map(({ contract }) => contract) }],
    ),
  ].map(({ title, contracts }) => `### ${title}\n\n${tableOf(contracts)}`);
  const section = [...groups, `### Maximum sizes of bodies\n\n${limitsTable()}`].join("\n\n");
  return `${page.slice(0, start + START.length)}\n\n${section}\n\n${page.slice(end)}`;
}

function tableOf(contracts: readonly Contract[]): string {
  const rows = contracts.map(
    (contract) => `| ${nameOf(contract)} | ${permissionOf(contract)} | ${queryOf(contract)} | ${contract.summary} |`,
  );
  return ["| endpoint | permission | query | |", "|---|---|---|---|", ...rows].join("\n");
}

function limitsTable(): string {
  const contracts = [...CONTRACTS, ...contractsOf(OPTIONAL_FEATURES)];
  const rows = contracts.flatMap((contract) =>
    contract.bodyLimit ? [`| ${nameOf(contract)} | ${formatBytes(contract.bodyLimit.maxBytes)} |`] : [],
  );
  return ["| endpoint | body |", "|---|---|", ...rows, `| any other | ${formatBytes(DEFAULT_BODY.maxBytes)} |`].join(
    "\n",
  );
}

function nameOf({ method, path }: Contract): string {
  return `\`${method.toUpperCase()} ${path}\``;
}

function permissionOf({ scope, role }: Contract): string {
  if (role !== undefined) return role;
  return scope === null ? "public" : `\`${scope}\``;
}

function queryOf({ query }: Contract): string {
  return Object.keys(query?.shape ?? {})
    .map((name) => `\`${name}\``)
    .join(", ");
}
