/** The table of commands. Each is loaded when it is called, which keeps startup fast. */
import type { Runnable } from "./command/command.ts";
import { failureOf, UsageError } from "./command/exit.ts";
import { terminalOf } from "./output/terminal.ts";
import { sanitize, jsonDocument, oneLine, wrap } from "./output/text.ts";
import { version } from "./version.ts";

const COMMANDS: Record<string, { about: string; load: () => Promise<{ command: Runnable }> }> = {
  submit: { about: "hand in a kernel and watch how it comes out", load: () => import("./commands/submit.ts") },
  watch: { about: "watch a submission until it ends", load: () => import("./commands/watch.ts") },
  cancel: { about: "cancel a submission", load: () => import("./commands/cancel.ts") },
  show: { about: "show a submission with the distribution of its times", load: () => import("./commands/show.ts") },
  compare: {
    about: "say which of two submissions is faster, and what differs",
    load: () => import("./commands/compare.ts"),
  },
  list: { about: "list your submissions", load: () => import("./commands/list.ts") },
  board: { about: "show who is how fast", load: () => import("./commands/board.ts") },
  queue: { about: "show what waits on each target, and for how long", load: () => import("./commands/queue.ts") },
  problems: { about: "list what can be submitted to", load: () => import("./commands/problems.ts") },
  limits: { about: "show how much you may still submit to a board", load: () => import("./commands/limits.ts") },
  init: { about: "make a folder to work on a problem in", load: () => import("./commands/init.ts") },
  competitions: { about: "list the competitions", load: () => import("./commands/competitions.ts") },
  competition: { about: "show a competition", load: () => import("./commands/competition.ts") },
  join: { about: "join a competition by an invite code", load: () => import("./commands/join.ts") },
  team: { about: "make, join and leave a team in a competition", load: () => import("./commands/team.ts") },
  source: { about: "print the code of a submission", load: () => import("./commands/source.ts") },
  licence: { about: "say whether a submission may be published", load: () => import("./commands/licence.ts") },
  anonymity: { about: "say whether published data names you", load: () => import("./commands/anonymity.ts") },
  receipt: { about: "get the signed receipt of a ranked submission", load: () => import("./commands/receipt.ts") },
  verify: { about: "check a receipt, with or without a server", load: () => import("./commands/verify.ts") },
  eval: { about: "judge a kernel on this machine, without a server", load: () => import("./commands/eval.ts") },
  problem: { about: "make and check problems, for those who write them", load: () => import("./commands/problem.ts") },
  duel: { about: "run two kernels side by side and say which is faster", load: () => import("./commands/duel.ts") },
  doctor: { about: "say what this machine can do, and why not", load: () => import("./commands/doctor.ts") },
  kernelbench: {
    about: "make, check and submit entries for KernelBench",
    load: () => import("./commands/kernelbench.ts"),
  },
  dataset: {
    about: "read, download, export and publish the data of competitions",
    load: () => import("./commands/dataset.ts"),
  },
  delete: { about: "take your submission off its boards", load: () => import("./commands/delete.ts") },
  report: { about: "ask a moderator to look at a run", load: () => import("./commands/report.ts") },
  decisions: { about: "list what moderators decided about you", load: () => import("./commands/decisions.ts") },
  appeal: { about: "appeal against a decision", load: () => import("./commands/appeal.ts") },
  admin: { about: "what organisers, moderators and administrators do", load: () => import("./commands/admin.ts") },
  webhooks: { about: "have an address told what happens", load: () => import("./commands/webhooks.ts") },
  runners: {
    about: "list, add, pause and drain runners, for administrators",
    load: () => import("./commands/runners.ts"),
  },
  launchers: { about: "show what starts runners, for administrators", load: () => import("./commands/launchers.ts") },
  close: { about: "end a problem's boards, for organisers", load: () => import("./commands/close.ts") },
  mcp: { about: "serve agents over the Model Context Protocol", load: () => import("./commands/mcp.ts") },
  login: { about: "sign this terminal in", load: () => import("./commands/login.ts") },
  logout: { about: "sign it out", load: () => import("./commands/logout.ts") },
  whoami: { about: "say whose your token is", load: () => import("./commands/whoami.ts") },
  "link-popcorn": { about: "let the popcorn client act as you", load: () => import("./commands/link-popcorn.ts") },
  tokens: { about: "list, make and revoke your tokens", load: () => import("./commands/tokens.ts") },
};

function help(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return [
    "kernelbot: make kernels fast, and prove it.",
    "",
    "Usage: kernelbot COMMAND [arguments] [options]",
    "",
    ...Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`),
    "",
    "kernelbot COMMAND --help tells more. Exit codes:",
    "",
    "  0    passed, or done",
    "  1    the kernel did not pass: it failed, is quarantined, or was cancelled;",
    "       or the receipt does not hold",
    "  2    the command, the file or the request was not acceptable",
    "  3    the platform failed: no answer, no sandbox, an error of the infrastructure",
    "  130  stopped by Ctrl-C",
    "",
    "Environment: KERNELBOT_SERVER, KERNELBOT_TOKEN, KERNELBOT_AUTHOR, KERNELBOT_MODEL,",
    "NO_COLOR; KERNELBOT_DEBUG=1 shows stack traces.",
  ].join("\n");
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    console.log(help());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-v") {
    console.log(version());
    return 0;
  }
  const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (found === undefined) throw new UsageError(`there is no command ${JSON.stringify(name)}; see kernelbot --help`);
  const { command } = await found.load();
  const options = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  if (options.includes("--help") || options.includes("-h")) {
    console.log(await command.help(rest));
    return 0;
  }
  return command.run(rest);
}

// A reader that closes the pipe early, such as `head`, is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

const args = process.argv.slice(2);
try {
  process.exitCode = await main(args);
} catch (error) {
  const { exit, code, message } = failureOf(error);
  const sentence = oneLine(sanitize(message));
  const { print, width } = terminalOf(process.stderr);
  print(wrap(code === "interrupted" ? sentence : `kernelbot: ${sentence}`, width));
  if (process.env.KERNELBOT_DEBUG === "1") console.error(error);
  if (args.includes("--json")) console.log(jsonDocument({ error: { code, message } }));
  process.exitCode = exit;
}
