/**
 * Runners as Slurm batch jobs, by `sbatch` over SSH. The token is sent on the standard input of ssh into a file that
 * only its owner may read and that the job deletes when it starts. The token is on no command line, in no environment
 * and in no batch script, because Slurm may show or store all of these.
 */
import { z } from "zod";
import { defineKind, targetOf } from "./kind.ts";
import { Refused, runnerArguments, TOKEN_VARIABLE, type Launcher, type LaunchRequest } from "./launcher.ts";
import { FilePath } from "./secret-file.ts";
import { TargetSettings } from "./settings.ts";
import { NOT_CONNECTED, ssh } from "./ssh.ts";

const Word = z.string().regex(/^[\w@][\w.:=,+/@-]*$/, "use letters, digits and . : = , + / @ -");

const Settings = z.strictObject({
  /** Host from which jobs are submitted, as ssh knows it. */
  host: Word,
  user: Word.optional(),
  port: z.int().min(1).max(65_535).optional(),
  identityFile: FilePath.optional(),
  knownHostsFile: FilePath.optional(),
  /**
   * Folder in the home directory there, which compute nodes must share; contains tokens until their job starts, and the
   * output of jobs.
   */
  folder: z
    .string()
    .regex(/^[\w.][\w./-]*$/, "use letters, digits and . / - _")
    .default(".kernelbot"),
});

const Target = TargetSettings.extend({
  /** Shell command that starts the runner, such as `apptainer run --nv runner.sif`. */
  command: z.string().min(1).default("kernelbot-runner"),
  partition: Word.optional(),
  account: Word.optional(),
  qos: Word.optional(),
  /** Generic resources, such as `gpu:h100:1`. */
  gres: Word.optional(),
  cpus: z.int().positive().optional(),
  memory: Word.optional(),
  /** Additional options of sbatch, such as `--exclusive`. */
  options: z.array(z.string().regex(/^--[\w-]+(=[\w.:=,+/@-]+)?$/, "use --NAME or --NAME=VALUE")).default([]),
});
type Target = z.infer<typeof Target>;

/** States of finished jobs; see https://slurm.schedmd.com/job_state_codes.html */
const OVER =
  /^(BOOT_FAIL|CANCELLED|COMPLETED|DEADLINE|FAILED|LAUNCH_FAILED|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|RECONFIG_FAIL|REVOKED|TIMEOUT)/;

export const slurm = defineKind({
  settings: Settings,
  target: Target,
  open({ settings, targets }): Launcher {
    const { folder } = settings;

    /** Runs a command on the host and returns its exit code and output. @throws Error when ssh could not connect. */
    async function remote(command: string, signal: AbortSignal, input = "") {
      const outcome = await ssh(settings, command, input, signal);
      if (outcome.code === NOT_CONNECTED) throw new Error(`ssh to ${settings.host}: ${lastLine(outcome.err)}`);
      return outcome;
    }

    return {
      usesProof: false,

      async launch(order, signal) {
        const file = `${folder}/${order.name}.token`;
        // `read` consumes only the first line of the input; sbatch reads the script from the rest.
        const command = [
          `umask 077 && mkdir -p ${folder} && IFS= read -r token && printf %s "$token" > ${file} && unset token`,
          `find ${folder} -name 'kernelbot-*' -mtime +7 -delete`,
          `{ sbatch --parsable || { rm -f ${file}; exit 1; }; }`,
        ].join(" && ");
        const script = scriptOf(order, targetOf(targets, order.target), folder);
        const { code, out, err } = await remote(command, signal, `${order.token}\n${script}`);
        const [id = ""] = out.trim().split(";");
        if (code === 0 && /^\d+$/.test(id)) return id;
        throw new Refused(`sbatch on ${settings.host}: ${lastLine(err) || `exit code ${code}`}`);
      },

      /**
       * Returns the job's id. squeue forgets finished jobs after some minutes, which is longer than the time within
       * which this is called.
       */
      async find(name, _, signal) {
        const { code, out, err } = await remote(
          `squeue --me --noheader --states=all --name=${name} --format=%A`,
          signal,
        );
        if (code !== 0) throw new Error(`squeue on ${settings.host}: ${lastLine(err)}`);
        return /^\d+/.exec(out.trim())?.[0] ?? null;
      },

      async status(id, signal) {
        const command = `squeue --noheader --states=all --jobs=${id} '--format=%T %r'`;
        const { code, out, err } = await remote(command, signal);
        // squeue reports a forgotten job as an invalid id.
        if (code !== 0 && !/Invalid job id/i.test(err)) throw new Error(`squeue on ${settings.host}: ${lastLine(err)}`);
        const [state = "", ...reason] = out.trim().split(" ");
        if (state === "") return { state: "ended", detail: "the job no longer exists in Slurm" };
        const detail = `Slurm job ${state}${reason.length > 0 && reason[0] !== "None" ? `, ${reason.join(" ")}` : ""}`;
        if (OVER.test(state)) return { state: "ended", detail };
        if (state === "RUNNING") return { state: "running" };
        return { state: state === "PENDING" ? "queued" : "waiting", detail };
      },

      async cancel(id, signal) {
        const { code, err } = await remote(`scancel ${id}`, signal);
        if (code !== 0 && !/Invalid job id/i.test(err))
          throw new Error(`scancel on ${settings.host}: ${lastLine(err)}`);
      },
    };
  },
});

function scriptOf(order: LaunchRequest, target: Target, folder: string): string {
  const { partition, account, qos, gres, cpus, memory } = target;
  const option = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`--${name}=${value}`];
  const options = [
    ...option("job-name", order.name),
    ...option("time", Math.ceil(order.hardLimitS / 60)),
    ...option("output", `${folder}/${order.name}.log`),
    // The server itself retries failed launches, and the token file has been deleted.
    "--no-requeue",
    // Do not export the submitting environment.
    "--export=NONE",
    ...option("partition", partition),
    ...option("account", account),
    ...option("qos", qos),
    ...option("gres", gres),
    ...option("cpus-per-task", cpus),
    ...option("mem", memory),
    ...target.options,
  ];
  const file = `${folder}/${order.name}.token`;
  const args = runnerArguments(order, target).map(shellQuote).join(" ");
  return `#!/bin/bash -l
${options.map((each) => `#SBATCH ${each}`).join("\n")}
cd || exit 1
${TOKEN_VARIABLE}=$(cat ${file}) || exit 1
rm -f ${file}
export ${TOKEN_VARIABLE}
exec ${target.command} ${args}
`;
}

/** Quotes a word for the shell. */
function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
