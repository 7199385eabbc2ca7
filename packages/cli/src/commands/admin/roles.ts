import { Role, ROLES } from "@kernelbot/core";
import type { Runnable } from "../../command/command.ts";
import { defineRequest } from "../../request/request.ts";
import { UsageError } from "../../command/exit.ts";
import { listed } from "../../output/text.ts";

/** `+moderator` and `-organiser`, which the parser would reject as unknown options. `-h` remains an option. */
const CHANGE = /^(\+.*|-[a-z]{2,})$/;

export const command: Runnable = {
  ...changeRoles([]),
  run: (args) => changeRoles(args.filter((arg) => CHANGE.test(arg))).run(args.filter((arg) => !CHANGE.test(arg))),
};

function changeRoles(changes: readonly string[]): Runnable {
  return defineRequest({
    name: "admin roles",
    positionals: ["NAME"],
    notes: [
      "+ROLE adds a role, -ROLE removes it: kernelbot admin roles NAME +moderator -organiser",
      `Roles: ${ROLES.join(", ")}. An administrator has all others. The last administrator cannot be removed.`,
    ],
    request: async ({ client }, _, name) => {
      const change = { add: rolesOf(changes, "+"), remove: rolesOf(changes, "-") };
      if (changes.length === 0) throw new UsageError("no change given: +ROLE adds a role, -ROLE removes it");
      return { name, roles: await client.changeRoles(name, change) };
    },
    lines: ({ name, roles }) => [`${name} is ${roles.length === 0 ? "a participant" : listed(roles)}`],
  });
}

function rolesOf(changes: readonly string[], sign: "+" | "-"): Role[] {
  return changes
    .filter((change) => change.startsWith(sign))
    .map((change) => {
      const role = Role.safeParse(change.slice(1));
      if (role.success) return role.data;
      throw new UsageError(`${JSON.stringify(change.slice(1))} is not a role; use ${ROLES.join(", ")}`);
    });
}
