/**
 * API endpoints for artifacts. Runners upload them; callers who may see the run download them. Always served as
 * attachments, so that a browser never renders their content.
 */
import { api } from "@kernelbot/api";
import { Readable } from "node:stream";
import { Artifact, ArtifactLink, KernelBotError, MediaType, quote, type RunArtifact } from "@kernelbot/core";
import type { Context } from "hono";
import { findArtifact, putArtifact } from "../artifacts.ts";
import { readLink, writeLink } from "../links.ts";
import type { Identity } from "../../auth/identity.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { mediaType } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { findWholeSubmission } from "../../submissions/routes/submissions.ts";

export const artifactEndpoints = [
  endpoint(api.runner.uploadArtifact, async ({ c, services, identity, params, query }) => {
    const type = MediaType.safeParse(mediaType(c));
    if (!type.success) {
      throw new KernelBotError("unsupported_media_type", `An artifact is one of ${MediaType.options.join(", ")}.`);
    }
    const bytes = c.req.raw.body ?? Readable.from([]);
    const upload = { runId: params.id, attempt: query.attempt, name: params.name, mediaType: type.data, bytes };
    return c.json(await putArtifact(services.database, services.store, identity, upload));
  }),

  endpoint(api.runs.artifact, async ({ c, services, identity, params: { id, name } }) => {
    return sendArtifact(c, services, await getVisibleArtifact(services, identity, id, name));
  }),

  endpoint(api.runs.linkArtifact, async ({ c, services, identity, params: { id, name }, body: { seconds } }) => {
    const { sha256, mediaType, sizeBytes } = await getVisibleArtifact(services, identity, id, name);
    const until = Date.now() + seconds * 1000;
    const elsewhere = await services.store.link(sha256, { name, mediaType, seconds });
    const link = writeLink(services.signer, { name, mediaType, sizeBytes, sha256 }, until);
    const url = elsewhere ?? `${originOf(c, services.site)}/api/v1/links/${link}`;
    return c.json<ArtifactLink>({ url, expiresAt: new Date(until).toISOString() }, 201);
  }),

  endpoint(api.runs.linkedArtifact, async ({ c, services, params }) => {
    const artifact = readLink(services.signer, params.link);
    if (artifact === null) {
      throw new KernelBotError("not_found", "this link is invalid or has expired; request a new one");
    }
    return sendArtifact(c, services, artifact);
  }),
];

/**
 * Returns an artifact that the caller may see.
 * @throws KernelBotError `not_found`, or `gone` where it was deleted.
 */
async function getVisibleArtifact(
  services: Services,
  identity: Identity,
  id: number,
  name: string,
): Promise<RunArtifact> {
  const found = await findArtifact(services.database, id, name);
  if (found === null || (await findWholeSubmission(services, identity, found.submissionId)) === null) {
    throw new KernelBotError("not_found", `run ${id} not found`);
  }
  const { artifact } = found;
  if (artifact === null) throw new KernelBotError("not_found", `run ${id} has no artifact ${quote(name)}`);
  if (artifact.deletedAt === null) return artifact;
  const day = artifact.deletedAt.slice(0, 10);
  const why = `when its retention period ended; submit the kernel in mode profile again to recreate it`;
  throw new KernelBotError("gone", `${quote(name)} of run ${id} was deleted on ${day}, ${why}`);
}

/** Responds with an artifact's bytes as an attachment. */
async function sendArtifact(c: Context<HttpEnv>, { store }: Services, artifact: Artifact): Promise<Response> {
  const whole = (await store.size(artifact.sha256)) === artifact.sizeBytes;
  const bytes = whole && c.req.method !== "HEAD" ? await store.get(artifact.sha256) : null;
  if (!whole)
    throw new KernelBotError("unavailable", `artifact ${quote(artifact.name)} is missing from the object store`);
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
