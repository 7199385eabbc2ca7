/** Snapshots of the data and their publications. */
import { formatBytes, type Publication, type Snapshot } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { listed, oneLine } from "../output/text.ts";
import { table } from "./table.ts";
import { moment } from "./format.ts";

export const DESTINATION_NAMES: Record<Publication["destination"], string> = {
  hugging_face: "Hugging Face",
  object_store: "the object store",
};

export function snapshotsLines(snapshots: readonly Snapshot[], width: number, style: Style): string[] {
  if (snapshots.length === 0)
    return ["This server has no snapshots yet. They are created from competitions that have ended."];
  return table(
    [
      { title: "id", side: "right" },
      { title: "created" },
      { title: "state" },
      { title: "size", side: "right" },
      { title: "competitions", shrinks: true },
      { title: "published at" },
    ],
    snapshots.map(({ id, createdAt, state, provisional, sizeBytes, competitions, publications }) => [
      String(id),
      moment(createdAt),
      state === "failed" ? style.red(state) : state === "ready" && provisional ? "provisional" : state,
      sizeBytes === null ? "" : formatBytes(sizeBytes),
      listed(competitions),
      listed(
        publications.filter((each) => each.state === "done").map(({ destination }) => DESTINATION_NAMES[destination]),
      ),
    ]),
    width,
    style,
  );
}

/** Formats a publication: `uploading to Hugging Face: 3 of 12 files, 4.2 MiB of 80 MiB`. */
export function publicationWords(publication: Publication): string {
  const { destination, state, filesDone, filesTotal, bytesDone, bytesTotal, message } = publication;
  const to = DESTINATION_NAMES[destination];
  const why = message === null ? "" : `: ${oneLine(message)}`;
  if (state === "waiting") return `queued for ${to}${why}`;
  if (state === "failed") return `publishing at ${to} failed${why}`;
  if (state === "done") return `published at ${to}`;
  const parts = `${filesDone} of ${filesTotal} files, ${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`;
  return `uploading to ${to}: ${parts}`;
}
