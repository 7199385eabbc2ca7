/** `kernelbot-runner doctor`: what works on this machine, what does not, and what to do. */
import { deviceOf, machineName, sanitize, type Check, type Machine } from "@kernelbot/core";
import { checkLines, jsonDocument, makeStyle } from "@kernelbot/core/terminal";
import { checkNode, judgeChecks, startTester } from "@kernelbot/tester";
import { DOCTOR_USAGE, parseDoctorOptions, type DoctorOptions } from "./options.ts";
import { serverChecks } from "./server-checks.ts";

/**
 * Runs the checks and prints them. Returns the exit code: 0 if a runner would work, else 3.
 * @throws KernelBotError `bad_request` when the arguments are invalid.
 */
export async function doctor(args: readonly string[]): Promise<number> {
  const options = parseDoctorOptions(args, process.env);
  if (options === "help") {
    process.stdout.write(DOCTOR_USAGE);
    return 0;
  }
  const checks = sanitize(await runChecks(options));
  const ok = checks.every((check) => check.ok);
  const { json, target } = options;
  process.stdout.write(json ? `${jsonDocument({ ok, target, checks })}\n` : table(checks, target));
  return ok ? 0 : 3;
}

/** Says to a person what is checked, since it can take a minute. */
function announce(what: string, { json }: DoctorOptions): void {
  if (!json) process.stderr.write(`Checking ${what}\n`);
}

async function runChecks(options: DoctorOptions): Promise<Check[]> {
  announce("Python, the compilers and the sandbox", options);
  const accelerator = options.target !== null && deviceOf(options.target) === "accelerator";
  const machineChecks = [checkNode(process.versions.node), ...(await judgeChecks({ accelerator }))];
  announce("the tester and the server", options);
  // The tester would only repeat what a failed check has reported.
  const { check, machine } = machineChecks.every(({ ok }) => ok)
    ? await testerCheck(accelerator)
    : { check: null, machine: null };
  return [...machineChecks, ...(check === null ? [] : [check]), ...(await serverChecks(options, machine))];
}

/** Starts the tester as a runner does. */
async function testerCheck(accelerator: boolean): Promise<{ check: Check; machine: Machine | null }> {
  try {
    const tester = await startTester({ accelerator });
    const { machine } = tester;
    await tester.close();
    const detail = `ready on ${machineName(machine)}`;
    return { check: { name: "tester", ok: true, detail, fix: null }, machine };
  } catch (error) {
    const fix = "Fix what the message names, then run this again";
    return { check: { name: "tester", ok: false, detail: (error as Error).message, fix }, machine: null };
  }
}

function table(checks: readonly Check[], target: string | null): string {
  const { isTTY, columns } = process.stdout;
  const style = makeStyle(isTTY && !process.env.NO_COLOR && process.env.TERM !== "dumb");
  const question = `Would a runner work on this machine${target === null ? "" : ` for ${target}`}?`;
  return checkLines(question, checks, (isTTY && columns) || Infinity, style)
    .map((line) => `${line}\n`)
    .join("");
}
