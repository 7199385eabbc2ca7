/** The files of runs: runners bring them, those who may see the run fetch them. Nothing of them is shown by a browser. */
import { Readable } from "node:stream";
import { Artifact, ArtifactName, KernelBotError, MediaType, quote } from "@kernelbot/core";
import { z } from "zod";
import { findArtifact, putArtifact } from "../artifacts/artifacts.ts";
import { endpoint, Id } from "./endpoint.ts";
import { mediaType, wholeNumber } from "./input.ts";
import { visible } from "./submissions.ts";

const Address = Id.extend({ name: ArtifactName });

export const artifactEndpoints = [
  endpoint({
    method: "put",
    path: "/runner/runs/{id}/artifacts/{name}",
    summary: "Bring a file of an attempt, before its event is reported",
    scope: "runner",
    params: Address,
    query: z.object({ attempt: wholeNumber(1, 2 ** 31 - 1) }),
    byteBody: MediaType.options,
    answers: {
      200: { description: "It is stored", schema: Artifact },
      409: { description: "The attempt is no longer this runner's" },
    },
    async handle({ c, faces, identity, params, query }) {
      const type = MediaType.safeParse(mediaType(c));
      if (!type.success) {
        throw new KernelBotError("unsupported_media_type", `An artifact is one of ${MediaType.options.join(", ")}.`);
      }
      const bytes = c.req.raw.body ?? Readable.from([]);
      const upload = { runId: params.id, attempt: query.attempt, name: params.name, mediaType: type.data, bytes };
      return c.json(await putArtifact(faces.database, faces.store, identity, upload));
    },
  }),

  endpoint({
    method: "get",
    path: "/runs/{id}/artifacts/{name}",
    summary: "A file of a run, as a download",
    scope: "read",
    params: Address,
    answers: {
      200: {
        description: "Its bytes, which are the submission's own words: nobody vouches for them",
        schema: z.string(),
        mediaType: "application/octet-stream",
        headers: { "Content-Disposition": "attachment, with its name", ETag: "Its SHA-256" },
      },
      410: { description: "It was deleted, after the time for which files are kept" },
    },
    async handle({ c, faces, identity, params: { id, name } }) {
      const { database, store } = faces;
      const found = await findArtifact(database, id, name);
      if (found === null || (await visible(faces, identity, found.submissionId)) === null) {
        throw new KernelBotError("not_found", `there is no run ${id}`);
      }
      const { artifact } = found;
      if (artifact === null) throw new KernelBotError("not_found", `run ${id} has no artifact ${quote(name)}`);
      if (artifact.deletedAt !== null) {
        const day = artifact.deletedAt.slice(0, 10);
        const why = `after the time for which this server keeps files; submit the kernel in mode profile again to have it anew`;
        throw new KernelBotError("gone", `${quote(name)} of run ${id} was deleted on ${day}, ${why}`);
      }
      const whole = (await store.size(artifact.sha256)) === artifact.sizeBytes;
      const bytes = whole && c.req.method !== "HEAD" ? await store.get(artifact.sha256) : null;
      if (!whole)
        throw new KernelBotError("unavailable", `the artifact ${quote(name)} of run ${id} is not in the store`);
      const headers = {
        "content-type": artifact.mediaType === "text/plain" ? "text/plain; charset=utf-8" : artifact.mediaType,
        "content-length": String(artifact.sizeBytes),
        "content-disposition": `attachment; filename="${name}"`,
        "cache-control": "private, no-store",
        etag: `"${artifact.sha256}"`,
      };
      if (bytes === null) return c.body(null, 200, headers);
      return c.body(Readable.toWeb(bytes) as ReadableStream, 200, headers);
    },
  }),
];
