import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "admin",
  notes: ["Every action is recorded in the audit log: kernelbot admin audit."],
  commands: {
    remove: { about: "Remove a submission and its leaderboard entries", load: () => import("./admin/remove.ts") },
    restore: { about: "Restore a removed submission", load: () => import("./admin/restore.ts") },
    quarantine: { about: "List quarantined runs and open appeals", load: () => import("./admin/quarantine.ts") },
    inspect: {
      about: "Show a run with its samples, review and similar sources",
      load: () => import("./admin/inspect.ts"),
    },
    flag: { about: "Quarantine a run until a moderator decides", load: () => import("./admin/flag.ts") },
    accept: { about: "Decide that a quarantined run passed", load: () => import("./admin/accept.ts") },
    reject: { about: "Decide that a quarantined run failed", load: () => import("./admin/reject.ts") },
    rerun: { about: "Run submissions again on fresh seeds", load: () => import("./admin/rerun.ts") },
    "check-in-use": {
      about: "Run kernels of a leaderboard in the problem's application",
      load: () => import("./admin/check-in-use.ts"),
    },
    "late-entry": {
      about: "Enter a submission for an account after the deadline",
      load: () => import("./admin/late-entry.ts"),
    },
    answer: { about: "Answer an appeal", load: () => import("./admin/answer.ts") },
    ban: { about: "Ban an account", load: () => import("./admin/ban.ts") },
    unban: { about: "End the ban of an account", load: () => import("./admin/unban.ts") },
    competition: { about: "Create and change competitions", load: () => import("./admin/competition.ts") },
    invites: { about: "Create, list and revoke invite codes", load: () => import("./admin/invites.ts") },
    "invite-links": {
      about: "Create, list and revoke links by which a class joins",
      load: () => import("./admin/invite-links.ts"),
    },
    "sign-in-link": { about: "Create a single-use sign-in link", load: () => import("./admin/sign-in-link.ts") },
    roles: { about: "Add and remove roles of an account", load: () => import("./admin/roles.ts") },
    weight: { about: "Set the share of the runners that an account gets", load: () => import("./admin/weight.ts") },
    limits: { about: "Set the submission limits of an account", load: () => import("./admin/limits.ts") },
    accounts: { about: "List the accounts", load: () => import("./admin/accounts.ts") },
    audit: { about: "Show the audit log", load: () => import("./admin/audit.ts") },
    "audit-export": { about: "Write the audit log to a file", load: () => import("./admin/audit-export.ts") },
  },
});
