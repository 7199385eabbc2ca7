import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "admin",
  about: "What organisers, moderators and administrators do. Every act is in the audit log.",
  commands: {
    remove: { about: "take a submission off its boards and out of sight", load: () => import("./admin/remove.ts") },
    restore: { about: "put a removed submission back", load: () => import("./admin/restore.ts") },
    quarantine: { about: "list what waits for a moderator", load: () => import("./admin/quarantine.ts") },
    inspect: { about: "show a run with its evidence", load: () => import("./admin/inspect.ts") },
    flag: { about: "take a run off its board until it is decided", load: () => import("./admin/flag.ts") },
    accept: { about: "decide that a run passed", load: () => import("./admin/accept.ts") },
    reject: { about: "decide that a run failed", load: () => import("./admin/reject.ts") },
    rerun: { about: "run entries again on fresh seeds", load: () => import("./admin/rerun.ts") },
    answer: { about: "answer an appeal", load: () => import("./admin/answer.ts") },
    ban: { about: "ban an account: it may read, and is on no board", load: () => import("./admin/ban.ts") },
    unban: { about: "end a ban", load: () => import("./admin/unban.ts") },
    competition: { about: "make and change competitions", load: () => import("./admin/competition.ts") },
    invites: { about: "make, list and revoke invite codes", load: () => import("./admin/invites.ts") },
    "sign-in-link": { about: "make an address that opens an account", load: () => import("./admin/sign-in-link.ts") },
    roles: { about: "give and take roles", load: () => import("./admin/roles.ts") },
    weight: { about: "give an account another share of the machines", load: () => import("./admin/weight.ts") },
    limits: { about: "raise limits for an account", load: () => import("./admin/limits.ts") },
    accounts: { about: "list the accounts", load: () => import("./admin/accounts.ts") },
    audit: { about: "show what was done with the rights of a role", load: () => import("./admin/audit.ts") },
  },
});
