/**
 * Runners as batch jobs of Slurm, by `sbatch` over SSH. The runner's token goes by the standard input of ssh into a file
 * that its owner alone may read, and that the job deletes as it begins: it is on no command line, in no environment and
 * in no batch script, all of which Slurm may show to others or keep.
 */
import { z } from "zod";
import { defineKind, targetOf } from "./kind.ts";
import { Refused, runnerArguments, TOKEN_VARIABLE, type Launcher, type Order } from "./launcher.ts";
import { FilePath } from "./secret-file.ts";
import { TargetSettings } from "./settings.ts";
import { NOT_CONNECTED, ssh } from "./ssh.ts";

const Word = z.string().regex(/^[\w@][\w.:=,+/@-]*$/, "use letters, digits and . : = , + / @ -");

const Settings = z.strictObject({
  /** A machine from which jobs are submitted, as ssh calls it. */
  host: Word,
  user: Word.optional(),
  port: z.int().min(1).max(65_535).optional(),
  identityFile: FilePath.optional(),
  knownHostsFile: FilePath.optional(),
  /** Below the home there, which jobs must see too: where tokens wait for their jobs, and what jobs have said. */
  folder: z
    .string()
    .regex(/^[\w.][\w./-]*$/, "use letters, digits and . / - _")
    .default(".kernelbot"),
});

const Target = TargetSettings.extend({
  /** What starts the runner there, such as `apptainer run --nv runner.sif`; as a shell reads it. */
  command: z.string().min(1).default("kernelbot-runner"),
  partition: Word.optional(),
  account: Word.optional(),
  qos: Word.optional(),
  /** Devices, such as `gpu:h100:1`. */
  gres: Word.optional(),
  cpus: z.int().positive().optional(),
  memory: Word.optional(),
  /** What sbatch is told besides, such as `--exclusive`. */
  options: z.array(z.string().regex(/^--[\w-]+(=[\w.:=,+/@-]+)?$/, "use --NAME or --NAME=VALUE")).default([]),
});
type Target = z.infer<typeof Target>;

/** States of jobs that are over; all others may still come to something. https://slurm.schedmd.com/job_state_codes.html */
const OVER =
  /^(BOOT_FAIL|CANCELLED|COMPLETED|DEADLINE|FAILED|LAUNCH_FAILED|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|RECONFIG_FAIL|REVOKED|TIMEOUT)/;

export const slurm = defineKind({
  settings: Settings,
  target: Target,
  open({ settings, targets }): Launcher {
    const { folder } = settings;

    /** @throws where ssh did not come to the command; what the command says by its exit code is the caller's. */
    async function remote(command: string, signal: AbortSignal, input = "") {
      const outcome = await ssh(settings, command, input, signal);
      if (outcome.code === NOT_CONNECTED) throw new Error(`ssh to ${settings.host}: ${lastLine(outcome.err)}`);
      return outcome;
    }

    return {
      provesItself: false,

      async launch(order, signal) {
        const file = `${folder}/${order.name}.token`;
        // `read` takes the first line of the input and not more; sbatch reads the script from what follows.
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

      /** squeue forgets what is over after some minutes, which is far from what is asked here. */
      async find(name, _, signal) {
        const { code, out, err } = await remote(
          `squeue --me --noheader --states=all --name=${name} --format=%A`,
          signal,
        );
        if (code !== 0) throw new Error(`squeue on ${settings.host}: ${lastLine(err)}`);
        return /^\d+/.exec(out.trim())?.[0] ?? null;
      },

      async standing(id, signal) {
        const command = `squeue --noheader --states=all --jobs=${id} '--format=%T %r'`;
        const { code, out, err } = await remote(command, signal);
        // A job that is forgotten is an invalid one.
        if (code !== 0 && !/Invalid job id/i.test(err)) throw new Error(`squeue on ${settings.host}: ${lastLine(err)}`);
        const [state = "", ...reason] = out.trim().split(" ");
        if (state === "") return { state: "ended", detail: "Slurm knows the job no more" };
        const detail = `Slurm says ${state}${reason.length > 0 && reason[0] !== "None" ? `, ${reason.join(" ")}` : ""}`;
        if (OVER.test(state)) return { state: "ended", detail };
        return state === "RUNNING" ? { state: "running" } : { state: "waiting", detail };
      },

      async cancel(id, signal) {
        const { code, err } = await remote(`scancel ${id}`, signal);
        if (code !== 0 && !/Invalid job id/i.test(err))
          throw new Error(`scancel on ${settings.host}: ${lastLine(err)}`);
      },
    };
  },
});

function scriptOf(order: Order, target: Target, folder: string): string {
  const { partition, account, qos, gres, cpus, memory } = target;
  const option = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`--${name}=${value}`];
  const options = [
    ...option("job-name", order.name),
    ...option("time", Math.ceil(order.hardLimitS / 60)),
    ...option("output", `${folder}/${order.name}.log`),
    // A launch that fails is the server's to repeat; and the token is gone.
    "--no-requeue",
    // Nothing of the one that submits.
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
  const args = runnerArguments(order, target).map(quoted).join(" ");
  return `#!/bin/bash -l
${options.map((each) => `#SBATCH ${each}`).join("\n")}
cd || exit 1
${TOKEN_VARIABLE}=$(cat ${file}) || exit 1
rm -f ${file}
export ${TOKEN_VARIABLE}
exec ${target.command} ${args}
`;
}

/** A word as a shell reads it back. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
