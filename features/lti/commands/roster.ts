/** `kernelbot admin course roster` with `--from-platform`. */
import { formatCount } from "@kernelbot/core";
import type { RosterResult } from "../../courses/messages.ts";
import { UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { readNamedFile } from "@kernelbot/cli/src/command/read-file.ts";
import { oneLine } from "@kernelbot/cli/src/output/text.ts";
import { coursesClient } from "../../courses/commands/client.ts";
import { ROSTER_NOTE, rosterLines } from "../../courses/commands/lines.ts";
import { defineRequest } from "@kernelbot/cli/src/request/request.ts";
import { ltiContracts } from "../contract.ts";
import type { LtiRosterResult } from "../messages.ts";

export const command = defineRequest({
  name: "admin course roster",
  positionals: ["COMPETITION", "[FILE]"],
  options: {
    "from-platform": {
      type: "boolean",
      help: "Take over the students of the learning platform from which the course was opened",
    },
  },
  notes: [ROSTER_NOTE],
  request: async (
    { client },
    { "from-platform": fromPlatform },
    name,
    file,
  ): Promise<RosterResult | LtiRosterResult> => {
    if (fromPlatform === (file !== undefined)) throw new UsageError("use a FILE or --from-platform");
    if (file === undefined) return client.request(ltiContracts.importRoster, { params: { name } });
    return coursesClient(client).importRoster(name, await readNamedFile(file));
  },
  lines: (result) =>
    "others" in result
      ? rosterLines(
          result,
          [
            `${formatCount(result.others, "other member")} of the platform, such as teachers, left out.`,
            ...result.rejected.map(({ member, reason }) => `Not imported: ${oneLine(member)}: ${oneLine(reason)}`),
          ],
          "an active student at the platform",
        )
      : rosterLines(result),
});
