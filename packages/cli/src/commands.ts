/**
 * The commands of `kernelbot`. The help text, the reference page and the checks of the documentation are derived from
 * them. Each command is loaded when it is called, which keeps startup fast.
 */
import { FEATURE_COMMANDS } from "@kernelbot/features/cli.ts";
import { withFeatures } from "./command/features.ts";
import { describeCommands, type CommandTable } from "./command/group.ts";

/** Commands with a common subject, which `kernelbot help NAME` lists. */
export interface CommandTopic {
  /** Name, which no command has. */
  name: string;
  about: string;
  commands: CommandTable;
}

const PLATFORM: readonly CommandTopic[] = [
  {
    name: "submissions",
    about: "Submit, watch, compare and verify kernels",
    commands: {
      submit: { about: "Submit a kernel and watch it until it ends", load: () => import("./commands/submit.ts") },
      watch: { about: "Watch a submission until it ends", load: () => import("./commands/watch.ts") },
      show: { about: "Show a submission with its timing samples", load: () => import("./commands/show.ts") },
      list: { about: "List your submissions, newest first", load: () => import("./commands/list.ts") },
      cancel: { about: "Cancel the unfinished runs of a submission", load: () => import("./commands/cancel.ts") },
      delete: { about: "Delete one of your submissions", load: () => import("./commands/delete.ts") },
      source: { about: "Print the source code of a submission", load: () => import("./commands/source.ts") },
      compare: { about: "Compare two submissions by their results", load: () => import("./commands/compare.ts") },
      duel: { about: "Run two kernels side by side and compare their speed", load: () => import("./commands/duel.ts") },
      profile: {
        about: "Show where the time of a profiled submission goes",
        load: () => import("./commands/profile.ts"),
      },
      licence: { about: "Set the licence of a submission", load: () => import("./commands/licence.ts") },
      anonymity: {
        about: "Show or set whether published data names you",
        load: () => import("./commands/anonymity.ts"),
      },
      receipt: { about: "Get the signed receipt of a ranked submission", load: () => import("./commands/receipt.ts") },
      verify: { about: "Verify a receipt, with or without a server", load: () => import("./commands/verify.ts") },
    },
  },
  {
    name: "compete",
    about: "Problems, leaderboards, competitions and teams",
    commands: {
      problems: { about: "List and sync the problems of a server", load: () => import("./commands/problems.ts") },
      board: { about: "Show a leaderboard", load: () => import("./commands/board.ts") },
      queue: { about: "Show the queue and the runners of each target", load: () => import("./commands/queue.ts") },
      limits: { about: "Show your submission limits on a leaderboard", load: () => import("./commands/limits.ts") },
      competitions: { about: "List the competitions", load: () => import("./commands/competitions.ts") },
      competition: { about: "Show a competition", load: () => import("./commands/competition.ts") },
      join: { about: "Join a competition with an invite code", load: () => import("./commands/join.ts") },
      team: { about: "Create, join and leave teams", load: () => import("./commands/team.ts") },
      decisions: {
        about: "List moderation decisions about you and your submissions",
        load: () => import("./commands/decisions.ts"),
      },
      appeal: { about: "Appeal against a moderation decision", load: () => import("./commands/appeal.ts") },
      report: { about: "Report a run to the moderators", load: () => import("./commands/report.ts") },
    },
  },
  {
    name: "local",
    about: "Judge kernels and write problems on this machine",
    commands: {
      init: { about: "Create a folder with a problem and starter kernels", load: () => import("./commands/init.ts") },
      eval: { about: "Judge a kernel on this machine, without a server", load: () => import("./commands/eval.ts") },
      problem: { about: "Create and check problems", load: () => import("./commands/problem.ts") },
      doctor: { about: "Check what this machine can do", load: () => import("./commands/doctor.ts") },
      completion: {
        about: "Print a script that completes commands and options in a shell",
        load: async () => ({
          command: (await import("./commands/completion.ts")).completion(() => describeCommands(COMMANDS)),
        }),
      },
    },
  },
  {
    name: "agents",
    about: "Agents, training and continuous integration",
    commands: {
      mcp: { about: "Run an MCP server for agents", load: () => import("./commands/mcp.ts") },
      evaluate: {
        about: "Judge a kernel and compute its reward, without entering a leaderboard",
        load: () => import("./commands/evaluate.ts"),
      },
      session: {
        about: "Evaluate within a budget, with a transcript for the submission",
        load: () => import("./commands/session.ts"),
      },
      transcript: {
        about: "Print the transcript of the session that led to a submission",
        load: () => import("./commands/transcript.ts"),
      },
      ci: { about: "Judge changed kernels in a continuous integration", load: () => import("./commands/ci.ts") },
    },
  },
  {
    name: "data",
    about: "KernelBench entries, exports and data sets",
    commands: {
      kernelbench: {
        about: "Generate, check and submit KernelBench entries",
        load: () => import("./commands/kernelbench.ts"),
      },
      export: {
        about: "Export problems and kernels for other programs",
        ofFeatures: true,
        load: () => import("./commands/export.ts"),
      },
      dataset: {
        about: "Download, query, export and publish competition data",
        load: () => import("./commands/dataset.ts"),
      },
    },
  },
  {
    name: "sign-in",
    about: "Sign in, tokens, webhooks and your account",
    commands: {
      login: { about: "Sign in on this terminal", load: () => import("./commands/login.ts") },
      logout: { about: "Revoke and delete the stored token", load: () => import("./commands/logout.ts") },
      whoami: { about: "Show the account and scopes of the current token", load: () => import("./commands/whoami.ts") },
      tokens: { about: "List, create and revoke your tokens", load: () => import("./commands/tokens.ts") },
      account: { about: "Export or erase your account and its data", load: () => import("./commands/account.ts") },
      webhooks: { about: "Manage your webhooks", load: () => import("./commands/webhooks.ts") },
    },
  },
  {
    name: "organise",
    about: "Organise competitions and administer a server",
    commands: {
      admin: {
        about: "Manage competitions, accounts and moderation",
        load: () => import("./commands/admin.ts"),
      },
      close: { about: "Close a problem's leaderboards permanently", load: () => import("./commands/close.ts") },
      runners: { about: "List, add, pause, drain and revoke runners", load: () => import("./commands/runners.ts") },
      launchers: { about: "List launchers and end launches", load: () => import("./commands/launchers.ts") },
    },
  },
];

/** The topics of the help text, with the commands of optional features. */
export const TOPICS: readonly CommandTopic[] = PLATFORM.map((topic) => ({
  ...topic,
  commands: withFeatures(topic.name, topic.commands, FEATURE_COMMANDS),
}));

/** All commands by name. */
export const COMMANDS: CommandTable = Object.assign({}, ...TOPICS.map(({ commands }) => commands)) as CommandTable;
