import { PUBLICATION_DESTINATIONS, type Publication, type SnapshotDetails } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { followSnapshot } from "../../dataset/watch-snapshot.ts";
import { snapshotId } from "../../dataset/id.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { publicationWords } from "../../render/snapshots.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

const PLACES = PUBLICATION_DESTINATIONS.map((place) => place.replace("_", "-"));

export const command = defineCommand({
  name: "dataset publish",
  about: "Publishes a snapshot at a place outside, or goes on with that, and says how far it is. For administrators.",
  positionals: ["ID"],
  options: {
    to: { type: "string", choices: PLACES, value: PLACES.join("|"), help: "Where" },
    "no-wait": { type: "boolean", help: "Do not watch" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "The server must know the place: see docs/guides/publish-a-dataset.md. Ctrl-C stops watching, not the server.",
  ],
  run: async ({ to, "no-wait": noWait, json, server }, text) => {
    const id = snapshotId(text);
    const place = PUBLICATION_DESTINATIONS[PLACES.indexOf(to ?? "")];
    if (place === undefined) throw new UsageError(`say where: --to ${PLACES.join(", or --to ")}`);
    const { client } = await connect(server);
    let publication = await client.datasets.publish(id, place);
    const of = ({ publications }: Pick<SnapshotDetails, "publications">): Publication =>
      publications.find((each) => each.place === place) ?? publication;
    if (!noWait) {
      const followed = await followSnapshot(client, id, {
        json,
        stopped: `Stopped watching; the server goes on. To watch it again: kernelbot dataset publish ${id} --to ${to}`,
        isEnough: (snapshot) => ["done", "failed"].includes(of(snapshot).state),
        words: (snapshot) => publicationWords(of(snapshot)),
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
