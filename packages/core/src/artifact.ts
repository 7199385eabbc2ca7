/**
 * Files that a run leaves besides its results, such as profiles. They are too large for events, and their content is a
 * stranger's: it is stored, and handed out as a download, and never looked into.
 */
import { z } from "zod";

/** The largest artifact, in bytes. */
export const MAX_ARTIFACT_BYTES = 64 * 1024 * 1024;
/** The most artifacts of an attempt. */
export const MAX_ARTIFACTS = 64;

/** The judge gives the names: they serve in addresses and as file names on every system. */
export const ArtifactName = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9_-]|\.(?=[a-z0-9])){0,99}$/,
    "use lower-case letters, digits, -, _ and single dots (at most 100)",
  );

/** None of them is shown by a browser as a page. */
export const MediaType = z.enum(["text/plain", "application/gzip", "application/zip", "application/octet-stream"]);
export type MediaType = z.infer<typeof MediaType>;

export const Artifact = z.object({
  name: ArtifactName,
  mediaType: MediaType,
  sizeBytes: z.int().nonnegative().max(MAX_ARTIFACT_BYTES),
  /** In hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
/** An artifact as it is told; its bytes are fetched by its name. */
export type Artifact = z.infer<typeof Artifact>;

/** How long a link to an artifact may live, in seconds. */
export const MAX_LINK_S = 3600;

export const ArtifactLinkRequest = z.strictObject({ seconds: z.int().min(1).max(MAX_LINK_S).default(600) });

export const ArtifactLink = z.object({
  /** Gives the bytes to whoever has it, without a token: it is as secret as they are. */
  url: z.url(),
  expiresAt: z.iso.datetime(),
});
export type ArtifactLink = z.infer<typeof ArtifactLink>;

/** An artifact of a run. A server keeps bytes for a time only; what stood there stays known. */
export const RunArtifact = Artifact.extend({ deletedAt: z.iso.datetime().nullable().default(null) });
export type RunArtifact = z.infer<typeof RunArtifact>;
