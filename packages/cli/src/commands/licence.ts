import { LICENCES, type Licence } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { terminalOf } from "../output/terminal.ts";
import { jsonDocument, listed } from "../output/text.ts";

export const command = defineCommand({
  name: "licence",
  about: "Lets a submission of yours be published under a licence, or withdraws that until it is published.",
  positionals: ["ID|default", "LICENCE|none"],
  options: {
    anonymous: { type: "boolean", help: "Published data has it under a pseudonym" },
    named: { type: "boolean", help: "Published data names you" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    `Licences: ${listed(LICENCES)}. With “default” it is the choice for your new submissions.`,
    "Without --anonymous and --named a submission stays as it is, at first as your account says: kernelbot anonymity.",
  ],
  run: async ({ anonymous, named, json, server }, what, text) => {
    const licence = toLicence(text);
    const id = what === "default" ? null : submissionId(what);
    const anonymity = anonymityOf({ anonymous, named });
    if (id === null && anonymity !== undefined)
      throw new UsageError("for all that you submit it is kernelbot anonymity on, or off");
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
  if (anonymous && named) throw new UsageError("give --anonymous or --named, not both");
  return anonymous || named ? anonymous : undefined;
}

/** Parses a licence; null for `none`. @throws UsageError when the licence is not in the list. */
export function toLicence(text: string): Licence | null {
  if (text === "none") return null;
  const licence = LICENCES.find((each) => each.toLowerCase() === text.toLowerCase());
  if (licence !== undefined) return licence;
  throw new UsageError(`${JSON.stringify(text)} is no licence to choose; there are ${listed(LICENCES)}, and none`);
}
