/**
 * API endpoints for artifacts. Runners upload them; callers who may see the run download them. Always served as
 * attachments, so that a browser never renders their content.
 */
import { Readable } from "node:stream";
import {
  Artifact,
  ArtifactLink,
  ArtifactLinkRequest,
  ArtifactName,
  KernelBotError,
  MediaType,
  quote,
  type RunArtifact,
} from "@kernelbot/core";
import type { Context } from "hono";
import { z } from "zod";
import { findArtifact, putArtifact } from "../artifacts.ts";
import { readLink, writeLink } from "../links.ts";
import type { Identity } from "../../auth/identity.ts";
import { endpoint, Id } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { mediaType, wholeNumber } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { visible } from "../../submissions/routes/submissions.ts";

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
    async handle({ c, services, identity, params, query }) {
      const type = MediaType.safeParse(mediaType(c));
      if (!type.success) {
        throw new KernelBotError("unsupported_media_type", `An artifact is one of ${MediaType.options.join(", ")}.`);
      }
      const bytes = c.req.raw.body ?? Readable.from([]);
      const upload = { runId: params.id, attempt: query.attempt, name: params.name, mediaType: type.data, bytes };
      return c.json(await putArtifact(services.database, services.store, identity, upload));
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
    async handle({ c, services, identity, params: { id, name } }) {
      return give(c, services, await shown(services, identity, id, name));
    },
  }),

  endpoint({
    method: "post",
    path: "/runs/{id}/artifacts/{name}/links",
    summary: "Make an address of a file of a run that needs no token, and ends",
    scope: "read",
    params: Address,
    body: ArtifactLinkRequest,
    answers: {
      201: { description: "The address", schema: ArtifactLink },
      410: { description: "The file was deleted, after the time for which files are kept" },
    },
    async handle({ c, services, identity, params: { id, name }, body: { seconds } }) {
      const { sha256, mediaType, sizeBytes } = await shown(services, identity, id, name);
      const until = Date.now() + seconds * 1000;
      const elsewhere = await services.store.link(sha256, { name, mediaType, seconds });
      const link = writeLink(services.signer, { name, mediaType, sizeBytes, sha256 }, until);
      const url = elsewhere ?? `${originOf(c, services.site)}/api/v1/links/${link}`;
      return c.json<ArtifactLink>({ url, expiresAt: new Date(until).toISOString() }, 201);
    },
  }),

  endpoint({
    method: "get",
    path: "/links/{link}",
    summary: "The file that an address was made for",
    scope: null,
    params: z.object({ link: z.string().max(1000) }),
    answers: {
      200: { description: "Its bytes, as a download", schema: z.string(), mediaType: "application/octet-stream" },
    },
    async handle({ c, services, params }) {
      const artifact = readLink(services.signer, params.link);
      if (artifact === null) {
        throw new KernelBotError("not_found", "this address was not made here, or its time is over; ask for another");
      }
      return give(c, services, artifact);
    },
  }),
];

/**
 * Returns an artifact that the caller may see.
 * @throws KernelBotError `not_found`, or `gone` where it was deleted.
 */
async function shown(services: Services, identity: Identity, id: number, name: string): Promise<RunArtifact> {
  const found = await findArtifact(services.database, id, name);
  if (found === null || (await visible(services, identity, found.submissionId)) === null) {
    throw new KernelBotError("not_found", `there is no run ${id}`);
  }
  const { artifact } = found;
  if (artifact === null) throw new KernelBotError("not_found", `run ${id} has no artifact ${quote(name)}`);
  if (artifact.deletedAt === null) return artifact;
  const day = artifact.deletedAt.slice(0, 10);
  const why = `after the time for which this server keeps files; submit the kernel in mode profile again to have it anew`;
  throw new KernelBotError("gone", `${quote(name)} of run ${id} was deleted on ${day}, ${why}`);
}

/** Responds with an artifact's bytes as an attachment. */
async function give(c: Context<HttpEnv>, { store }: Services, artifact: Artifact): Promise<Response> {
  const whole = (await store.size(artifact.sha256)) === artifact.sizeBytes;
  const bytes = whole && c.req.method !== "HEAD" ? await store.get(artifact.sha256) : null;
  if (!whole) throw new KernelBotError("unavailable", `the artifact ${quote(artifact.name)} is not in the store`);
  const headers = {
    "content-type": artifact.mediaType === "text/plain" ? "text/plain; charset=utf-8" : artifact.mediaType,
    "content-length": String(artifact.sizeBytes),
    "content-disposition": `attachment; filename="${artifact.name}"`,
    "cache-control": "private, no-store",
    etag: `"${artifact.sha256}"`,
  };
  if (bytes === null) return c.body(null, 200, headers);
  return c.body(Readable.toWeb(bytes) as ReadableStream, 200, headers);
}
