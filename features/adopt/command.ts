/** `kernelbot-server adopt`: moves the data of an existing KernelBot to this server, also while a server is running. */
import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { KernelBotError } from "@kernelbot/core";
import { externalConnection, type Database } from "@kernelbot/server/src/db/database.ts";
import { adopt, type AdoptCounts } from "./adopt.ts";
import { restoreDump } from "./dump.ts";
import { openProgress } from "@kernelbot/server/src/operations/progress.ts";
import type { AdoptOptions } from "./options.ts";
import { openReport, type RowFault } from "./report.ts";

/** Maximum number of faults that are printed; the report has all of them. */
const PRINTED_FAULTS = 20;

/** Numbers of faults, and the ones that are printed. */
interface Faults {
  skipped: number;
  changed: number;
  first: RowFault[];
}

export async function run(options: AdoptOptions, database: Database): Promise<void> {
  const file = options.report === undefined ? null : createWriteStream(options.report);
  try {
    if (file !== null) await once(file, "open").catch(unwritable);
    using progress = openProgress(console.log);
    progress.begin("reading the existing database");
    const dump = /^postgres(ql)?:/.test(options.from) ? null : await restoreDump(options.from, database.connection);
    try {
      const faults: Faults = { skipped: 0, changed: 0, first: [] };
      const report = openReport((fault) => {
        faults[fault.outcome] += 1;
        if (faults.first.length < PRINTED_FAULTS) faults.first.push(fault);
        file?.write(`${JSON.stringify(fault)}\n`);
      });
      const counts = await adopt({
        ...{ database, report, source: options.source },
        from: dump?.connection ?? externalConnection(options.from, "--from"),
        progress,
        ...{ isRehearsal: options.dryRun, includeUnfinished: options.includeUnfinished },
        maxRemovals: options.maxRemovals,
      });
      console.log(formatCounts(counts, options));
      console.log(formatFaults(faults, options.report));
    } finally {
      await dump?.close();
    }
  } finally {
    if (file !== null) await new Promise((closed) => file.end(closed));
  }
}

function unwritable(error: unknown): never {
  throw new KernelBotError("bad_request", `--report: ${error instanceof Error ? error.message : String(error)}`);
}

function formatCounts(counts: AdoptCounts, { dryRun }: AdoptOptions): string {
  const rows: [number, string][] = [
    [counts.accounts, "accounts"],
    [counts.tokens, "cli_ids"],
    [counts.revokedTokens, "revoked cli_ids (invalidated there)"],
    [counts.bans, "bans"],
    [counts.liftedBans, "lifted bans"],
    [counts.leaderboards, "leaderboards"],
    [counts.invites, "invite codes"],
    [counts.revokedInvites, "revoked invite codes (deleted there)"],
    [counts.limits, "rate limits"],
    [counts.submissions, `submissions with ${counts.runs.toLocaleString("en-US")} runs`],
    [counts.removed, "removed submissions (disqualified or deleted there since the last pass)"],
    [counts.restored, "restored submissions (removed by an earlier pass, and counting there again)"],
    [counts.known, "submissions already here"],
    [counts.unfinished, "unfinished submissions left for a later pass"],
    [counts.temporary, "users without a completed registration left out"],
  ];
  const width = Math.max(...rows.map(([count]) => count.toLocaleString("en-US").length));
  const lines = rows.map(([count, what]) => `  ${count.toLocaleString("en-US").padStart(width)}  ${what}`);
  return [dryRun ? "a pass would import (nothing was written):" : "imported:", ...lines].join("\n");
}

function formatFaults({ skipped, changed, first }: Faults, file: string | undefined): string {
  if (skipped + changed === 0) return "every row was imported as it is";
  const lines = first.map(
    ({ table, row, field, reason, outcome }) => `  ${outcome} ${table} ${row}, ${field}: ${reason}`,
  );
  const more = skipped + changed - first.length;
  const where = file === undefined ? "use --report FILE for all of them" : `all of them are in ${file}`;
  return [
    `${skipped} rows were not imported, ${changed} were changed:`,
    // Users of the existing system chose some of the values: control characters would reach the terminal.
    ...lines.map((line) => line.replaceAll(/\p{C}/gu, "\uFFFD")),
    ...(more === 0 ? [] : [`  and ${more} more; ${where}`]),
  ].join("\n");
}
