import { LICENCES, type Licence } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { terminalOf } from "../output/terminal.ts";
import { jsonDocument, listed } from "../output/text.ts";

export const command = defineCommand({
  name: "licence",
  positionals: ["ID|default", "LICENCE|none"],
  options: {
    anonymous: { type: "boolean", help: "Publish it under a pseudonym" },
    named: { type: "boolean", help: "Publish it under your name" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Allows a submission of yours to be published under a licence; none withdraws that, until it is published. default in " +
      "place of ID sets the licence of your new submissions.",
    `Licences: ${listed(LICENCES)}.`,
    "Without --anonymous and --named, the submission keeps its setting, which is initially that of your account: kernelbot " +
      "anonymity.",
  ],
  run: async ({ anonymous, named, json, server }, what, text) => {
    const licence = toLicence(text);
    const id = what === "default" ? null : submissionId(what);
    const anonymity = anonymityOf({ anonymous, named });
    if (id === null && anonymity !== undefined)
      throw new UsageError("--anonymous and --named apply to one submission; use kernelbot anonymity on|off for all");
    const { client } = await connect(server);
    if (id === null) await client.chooseLicence({ licence });
    else await client.licenseSubmission(id, { licence, ...(anonymity !== undefined && { anonymous: anonymity }) });
    const subject = id === null ? "Your new submissions" : `Submission ${id}`;
    if (json)
      process.stdout.write(
        `${jsonDocument({ submissionId: id, licence, ...(anonymity !== undefined && { anonymous: anonymity }) })}\n`,
      );
    else {
      const may = licence === null ? "may not be published" : `may be published under ${licence}`;
      const how =
        anonymity === undefined || licence === null ? "" : anonymity ? ", without your name" : ", with your name";
      terminalOf(process.stdout).print([`${subject} ${may}${how}.`]);
    }
    return EXIT.passed;
  },
});

/** Returns the requested anonymity; undefined when neither option is given. */
function anonymityOf({ anonymous, named }: { anonymous: boolean; named: boolean }): boolean | undefined {
  if (anonymous && named) throw new UsageError("use --anonymous or --named, not both");
  return anonymous || named ? anonymous : undefined;
}

/** Parses a licence; null for `none`. @throws UsageError when the licence is not in the list. */
export function toLicence(text: string): Licence | null {
  if (text === "none") return null;
  const licence = LICENCES.find((each) => each.toLowerCase() === text.toLowerCase());
  if (licence !== undefined) return licence;
  throw new UsageError(`${JSON.stringify(text)} is not a supported licence; use ${LICENCES.join(", ")} or none`);
}
