/**
 * The commands of `kernelbot`. The help text, the reference page and the checks of the documentation are derived from
 * them. Each command is loaded when it is called, which keeps startup fast.
 */
import type { CommandTable } from "./command/group.ts";

export interface CommandSection {
  title: string;
  commands: CommandTable;
}

export const SECTIONS: readonly CommandSection[] = [
  {
    title: "Submit",
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
      ci: { about: "Judge changed kernels in a continuous integration", load: () => import("./commands/ci.ts") },
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
      licence: { about: "Set the licence of a submission", load: () => import("./commands/licence.ts") },
      anonymity: {
        about: "Show or set whether published data names you",
        load: () => import("./commands/anonymity.ts"),
      },
      profile: {
        about: "Show where the time of a profiled submission goes",
        load: () => import("./commands/profile.ts"),
      },
      receipt: { about: "Get the signed receipt of a ranked submission", load: () => import("./commands/receipt.ts") },
      verify: { about: "Verify a receipt, with or without a server", load: () => import("./commands/verify.ts") },
    },
  },
  {
    title: "Problems and leaderboards",
    commands: {
      problems: { about: "List and sync the problems of a server", load: () => import("./commands/problems.ts") },
      board: { about: "Show a leaderboard", load: () => import("./commands/board.ts") },
      queue: { about: "Show the queue and the runners of each target", load: () => import("./commands/queue.ts") },
      limits: { about: "Show your submission limits on a leaderboard", load: () => import("./commands/limits.ts") },
      competitions: { about: "List the competitions", load: () => import("./commands/competitions.ts") },
      competition: { about: "Show a competition", load: () => import("./commands/competition.ts") },
      join: { about: "Join a competition with an invite code", load: () => import("./commands/join.ts") },
      course: { about: "Show your deadlines and grades in a course", load: () => import("./commands/course.ts") },
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
    title: "Work on this machine",
    commands: {
      init: { about: "Create a folder with a problem and starter kernels", load: () => import("./commands/init.ts") },
      eval: { about: "Judge a kernel on this machine, without a server", load: () => import("./commands/eval.ts") },
      convert: {
        about: "Convert a FlashInfer Trace solution to a submission, and back",
        load: () => import("./commands/convert.ts"),
      },
      problem: { about: "Create and check problems", load: () => import("./commands/problem.ts") },
      doctor: { about: "Check what this machine can do", load: () => import("./commands/doctor.ts") },
      mcp: { about: "Run an MCP server for agents", load: () => import("./commands/mcp.ts") },
    },
  },
  {
    title: "KernelBench and data",
    commands: {
      kernelbench: {
        about: "Generate, check and submit KernelBench entries",
        load: () => import("./commands/kernelbench.ts"),
      },
      export: { about: "Export problems and kernels for other programs", load: () => import("./commands/export.ts") },
      publish: { about: "Publish an exported kernel", load: () => import("./commands/publish.ts") },
      dataset: {
        about: "Download, query, export and publish competition data",
        load: () => import("./commands/dataset.ts"),
      },
    },
  },
  {
    title: "Account",
    commands: {
      login: { about: "Sign in on this terminal", load: () => import("./commands/login.ts") },
      logout: { about: "Revoke and delete the stored token", load: () => import("./commands/logout.ts") },
      whoami: { about: "Show the account and scopes of the current token", load: () => import("./commands/whoami.ts") },
      tokens: { about: "List, create and revoke your tokens", load: () => import("./commands/tokens.ts") },
      account: { about: "Export or erase your account and its data", load: () => import("./commands/account.ts") },
      webhooks: { about: "Manage your webhooks", load: () => import("./commands/webhooks.ts") },
      "link-popcorn": {
        about: "Create a token for the popcorn client",
        load: () => import("./commands/link-popcorn.ts"),
      },
    },
  },
  {
    title: "Organise and administer",
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

/** All commands by name. */
export const COMMANDS: CommandTable = Object.assign({}, ...SECTIONS.map(({ commands }) => commands)) as CommandTable;
