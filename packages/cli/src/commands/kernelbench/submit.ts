import { MAX_ENTRY_BYTES } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { checkedFile, STRICT_NOTE, STRICT_OPTION } from "../../kernelbench/submission-file.ts";
import { readBounded } from "../../kernelbench/files.ts";
import { findMissingRunner, watchEntry } from "../../kernelbench/watch-entry.ts";
import { entryPage } from "../../kernelbench/print-entry.ts";
import { checkLines } from "../../render/entry-check.ts";
import { progressWords } from "../../render/entries.ts";
import { RUNNER_TIMEOUT_OPTION, runnerTimeoutMs } from "../../submission/runner-wait.ts";
import { retryNotice, withRetry } from "../../submission/submit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench submit",
  positionals: ["FILE"],
  options: {
    suite: {
      type: "string",
      value: "NAME",
      help: "Suite of the entry; kernelbot kernelbench suites lists them (required)",
    },
    target: { type: "string", short: "t", value: "NAME", help: "Target to run on; required if the suite has several" },
    "compiled-baseline": { type: "boolean", help: "Also time the compiled model in each session" },
    ...STRICT_OPTION,
    watch: { type: "boolean", help: "Watch the entry until it ends, then print its metrics" },
    ...RUNNER_TIMEOUT_OPTION,
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "The entry is a draft that only you can see, until kernelbot kernelbench publish. Its kernels are judged one by one.",
    "If the file has errors, lists all of them, sends nothing and exits with 1.",
    STRICT_NOTE,
  ],
  run: async (values, file) => {
    const { suite: name, target, "compiled-baseline": compiledBaseline, strict, watch, json, server } = values;
    const timeoutMs = runnerTimeoutMs(values["runner-timeout"]);
    if (name === undefined) throw new UsageError("--suite NAME is required; kernelbot kernelbench suites lists them");
    const text = await readBounded(file, MAX_ENTRY_BYTES);
    const connection = await connect(server);
    const { client } = connection;
    const suite = await client.kernelbench.suite(name);
    const chosen = target ?? onlyTarget(suite.targets, name);
    const { check, file: checked } = checkedFile(text, suite, strict);
    const { print, width, style } = terminalOf(process.stdout);
    if (checked === null) {
      if (json) process.stdout.write(`${jsonDocument(check)}\n`);
      else print(checkLines(sanitize(check), width, style));
      return EXIT.failed;
    }
    const idempotencyKey = crypto.randomUUID();
    const request = { suite: name, target: chosen, file: checked, compiledBaseline };
    const entry = await withRetry(
      () => client.kernelbench.createEntry(request, { idempotencyKey }),
      () => console.error(retryNotice(connection.server)),
    );
    const { id } = entry;
    if (!watch) {
      if (json) process.stdout.write(`${jsonDocument(entry)}\n`);
      else {
        const queued = `Entry ${id} is queued: ${progressWords(entry.progress)}.`;
        const missing = await findMissingRunner(client, chosen);
        const noRunner = missing === null ? [] : [missing.sentence];
        print([`${queued} To watch it: kernelbot kernelbench watch ${id}`, ...noRunner, entryPage(connection, id)]);
      }
      return EXIT.passed;
    }
    return watchEntry(connection, entry, { json, runnerTimeoutMs: timeoutMs });
  },
});

function onlyTarget(targets: readonly string[], suite: string): string {
  const [target] = targets;
  if (target !== undefined && targets.length === 1) return target;
  throw new UsageError(`--target NAME is required: suite ${suite} has ${targets.join(", ")}`);
}
