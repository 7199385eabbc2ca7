import { PUBLICATION_DESTINATIONS, type Publication, type SnapshotDetails } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { followSnapshot } from "../../dataset/watch-snapshot.ts";
import { snapshotId } from "../../dataset/id.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { publicationWords } from "../../render/snapshots.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

const DESTINATIONS = PUBLICATION_DESTINATIONS.map((name) => name.replace("_", "-"));

export const command = defineCommand({
  name: "dataset publish",
  positionals: ["ID"],
  options: {
    to: { type: "string", choices: DESTINATIONS, value: DESTINATIONS.join("|"), help: "Destination (required)" },
    "no-wait": { type: "boolean", help: "Start publishing and exit without watching" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "For administrators. Resumes an interrupted publication. The destination must be configured on the server: see " +
      "docs/guides/publish-a-dataset.md. Ctrl-C stops watching, not the upload.",
  ],
  run: async ({ to, "no-wait": noWait, json, server }, text) => {
    const id = snapshotId(text);
    const destination = PUBLICATION_DESTINATIONS[DESTINATIONS.indexOf(to ?? "")];
    if (destination === undefined) throw new UsageError(`--to ${DESTINATIONS.join("|")} is required`);
    const { client } = await connect(server);
    let publication = await client.datasets.publish(id, destination);
    const of = ({ publications }: Pick<SnapshotDetails, "publications">): Publication =>
      publications.find((each) => each.destination === destination) ?? publication;
    if (!noWait) {
      const followed = await followSnapshot(client, id, {
        json,
        stopped: `Stopped watching; the upload continues. To watch it: kernelbot dataset publish ${id} --to ${to}`,
        isEnough: (snapshot) => ["done", "failed"].includes(of(snapshot).state),
        progress: (snapshot) => publicationWords(of(snapshot)),
      });
      publication = of(followed);
    }
    if (json) process.stdout.write(`${jsonDocument(publication)}\n`);
    else {
      const { url } = sanitize(publication);
      const words = publicationWords(publication);
      terminalOf(process.stdout).print([`Snapshot ${id}: ${words}${url === null ? "" : `: ${url}`}`]);
    }
    return publication.state === "failed" ? EXIT.platform : EXIT.passed;
  },
});
