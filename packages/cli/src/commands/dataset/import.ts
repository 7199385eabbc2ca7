import { ImportHead, LICENCES, type ImportResult } from "@kernelbot/core";
import {
  DatasetError,
  importBatches,
  openParquet,
  planImport,
  readLeaderboards,
  type ImportPlan,
  type ParquetFile,
} from "@kernelbot/dataset";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import { openStatusLine } from "../../output/status-line.ts";
import { faultLines, importedLines, planLines, type Totals } from "../../render/imports.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "dataset import",
  positionals: ["FILES..."],
  options: {
    competition: { type: "string", value: "NAME", help: "Name of the competition on this server (required)" },
    title: { type: "string", value: "TEXT", help: "Title of the competition (required)" },
    from: { type: "string", value: "DATE", help: "Start in UTC, such as 2025-03-01T00:00:00Z (required)" },
    to: { type: "string", value: "DATE", help: "End in UTC (required)" },
    leaderboards: { type: "string", value: "FILE", help: "leaderboards.parquet, with descriptions and references" },
    source: {
      type: "string",
      value: "TEXT",
      default: "kernelbot-data",
      help: "Name of the source, which qualifies the ids of submissions and users",
    },
    licence: {
      type: "string",
      choices: LICENCES,
      help: "Licence of the rows; without one, their code is neither shown nor exported",
    },
    "skip-faulty": { type: "boolean", help: "Skip rows with faults and import the others" },
    "dry-run": { type: "boolean", help: "Show what would be imported; sends no request" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "For administrators. Creates leaderboards, histories and pages from the Parquet files of the existing corpus with code, " +
      "in its export schema or its oldest schema. The files are read twice: first to find all faults, then to send them in " +
      "batches. To resume an interrupted import, run the same command again; imported rows are not changed.",
  ],
  run: async (options, paths) => {
    const { json, "dry-run": isDry, "skip-faulty": skips } = options;
    const head = headOf(options);
    const { print } = terminalOf(process.stdout);
    const imported = await untilInterrupted("Interrupted. To resume, run the same command again.", async (signal) => {
      const [files, plan] = await readFiles(() => readPlan(paths, options, head, signal));
      if (plan.faulty > 0 && !skips) return { plan, totals: null };
      if (isDry) return { plan, totals: null };
      if (!json) print(sanitize(planLines(plan, head)));
      return { plan, totals: await readFiles(() => sendBatches(files, plan, head, options, signal)) };
    });
    const { plan, totals } = imported;
    if (json) process.stdout.write(`${jsonDocument({ plan, imported: totals })}\n`);
    else if (totals !== null) print(sanitize(importedLines(totals, head)));
    else print(sanitize(planLines(plan, head)));
    if (plan.faulty > 0) terminalOf(process.stderr).print(sanitize(faultLines(plan, skips)));
    return plan.faulty > 0 && !skips ? EXIT.usage : EXIT.passed;
  },
});

/** Validates the options that describe the imported competition. @throws UsageError that names the invalid option. */
function headOf(options: Record<"source" | "competition" | "title" | "from" | "to" | "licence", string | undefined>) {
  for (const name of ["competition", "title", "from", "to"] as const) {
    if (options[name] === undefined) throw new UsageError(`--${name} is required; see kernelbot dataset import --help`);
  }
  const { source, competition, title, from: startsAt, to: endsAt, licence = null } = options;
  const parsed = ImportHead.safeParse({ source, competition, title, startsAt, endsAt, licence });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = String(issue?.path[0]);
    const option = field === "startsAt" ? "from" : field === "endsAt" ? "to" : field;
    throw new UsageError(`--${option}: ${issue?.message}`);
  }
  if (Date.parse(parsed.data.endsAt) > Date.now()) {
    throw new UsageError("--to is in the future: only a competition that has ended can be imported");
  }
  return parsed.data;
}

async function readPlan(
  paths: readonly string[],
  { leaderboards, json }: { leaderboards: string | undefined; json: boolean },
  head: ImportHead,
  signal: AbortSignal,
): Promise<[ParquetFile[], ImportPlan]> {
  const known = leaderboards === undefined ? new Map<number, never>() : await readLeaderboards(leaderboards);
  const files = await Promise.all(paths.map(openParquet));
  const status = openStatusLine(json);
  try {
    const onProgress = (done: number, total: number) => status.show(() => `Reading: ${share(done, total)} rows`);
    return [files, await planImport(files, head, known, { onProgress, signal })];
  } finally {
    status.end();
  }
}

async function sendBatches(
  files: readonly ParquetFile[],
  plan: ImportPlan,
  head: ImportHead,
  { server, json }: { server: string | undefined; json: boolean },
  signal: AbortSignal,
): Promise<Totals> {
  const { client } = await connect(server);
  const totals: Totals = { problems: [], made: 0, quarantined: 0, known: 0, repeated: 0, accounts: 0 };
  const status = openStatusLine(json);
  // The next batch is read while the server processes the current one.
  let answer: Promise<ImportResult> | undefined;
  const addAnswer = async () => {
    if (answer === undefined) return;
    const { problems, ...counts } = await answer;
    for (const problem of problems) totals.problems.push(problem);
    for (const key of Object.keys(counts) as (keyof typeof counts)[]) totals[key] += counts[key];
  };
  try {
    for await (const { batch, read } of importBatches(files, head, plan.problems, signal)) {
      await addAnswer();
      answer = client.importBatch(batch);
      // Awaited in the next iteration; the rejection may occur earlier and must not be unhandled.
      answer.catch(() => undefined);
      status.show(
        () => `Importing: ${share(read, plan.rows)} rows, ${totals.made.toLocaleString("en-US")} runs created`,
      );
    }
    await addAnswer();
    return totals;
  } finally {
    status.end();
  }
}

function share(done: number, total: number): string {
  return `${done.toLocaleString("en-US")} of ${total.toLocaleString("en-US")}`;
}

/** Runs `work` and turns errors in the dataset's files into usage errors, since the user can fix them. */
async function readFiles<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DatasetError ? new UsageError(error.message, { cause: error }) : error;
  }
}
