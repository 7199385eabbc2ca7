/**
 * Artifacts: files that a run produces in addition to its results, such as profiles. They are too large for events, and
 * their content is untrusted: it is stored and offered as a download. Only traces of profiles are parsed, within limits, in
 * a worker thread of the server (`trace.ts`).
 */
import { z } from "zod";

/** Maximum size of an artifact, in bytes. */
export const MAX_ARTIFACT_BYTES = 64 * 1024 * 1024;
/** Maximum number of artifacts of an attempt. */
export const MAX_ARTIFACTS = 64;

/** Name of an artifact, given by the judge; safe in URLs and as a file name on every system. */
export const ArtifactName = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9_-]|\.(?=[a-z0-9])){0,99}$/,
    "use lower-case letters, digits, -, _ and single dots (at most 100)",
  );

/** Media types, none of which a browser renders as a page. */
export const MediaType = z.enum(["text/plain", "application/gzip", "application/zip", "application/octet-stream"]);
export type MediaType = z.infer<typeof MediaType>;

export const Artifact = z.object({
  name: ArtifactName,
  mediaType: MediaType,
  sizeBytes: z.int().nonnegative().max(MAX_ARTIFACT_BYTES),
  /** SHA-256 in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
/** Metadata of an artifact; its bytes are downloaded by name. */
export type Artifact = z.infer<typeof Artifact>;

/** Maximum lifetime of a link to an artifact, in seconds. */
export const MAX_LINK_S = 3600;

export const ArtifactLinkRequest = z.strictObject({ seconds: z.int().min(1).max(MAX_LINK_S).default(600) });

export const ArtifactLink = z.object({
  /** URL that returns the bytes without a token; as confidential as the artifact itself. */
  url: z.url(),
  expiresAt: z.iso.datetime(),
});
export type ArtifactLink = z.infer<typeof ArtifactLink>;

/** Artifact of a run. The server deletes the bytes after a retention period, but keeps the metadata. */
export const RunArtifact = Artifact.extend({ deletedAt: z.iso.datetime().nullable().default(null) });
export type RunArtifact = z.infer<typeof RunArtifact>;
