/** Reads the options of an S3-compatible object store from the environment. */
import { KernelBotError, quote } from "@kernelbot/core";
import { Secret } from "./secret.ts";

export interface S3Options {
  bucket: string;
  /** Prefix of object names: empty, or ending with a slash. */
  prefix: string;
  region: string;
  /** URL of the bucket for the server. */
  bucketUrl: string;
  /** URL of the bucket for browsers, used in links. */
  publicBucketUrl: string;
  accessKeyId: string;
  secretAccessKey: Secret;
  sessionToken: Secret | undefined;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^([A-Za-z0-9][A-Za-z0-9._-]{0,99}\/){0,8}$/;

/** Reads the address in KERNELBOT_STORE; undefined when it is not set. @throws as `s3OptionsOf` */
export function readS3Options(env: NodeJS.ProcessEnv): S3Options | undefined {
  const place = env.KERNELBOT_STORE?.trim() ?? "";
  return place === "" ? undefined : s3OptionsOf(place, env, "KERNELBOT_STORE");
}

/**
 * Parses `s3://BUCKET` or `s3://BUCKET/PREFIX`, and reads the common AWS variables. With a custom endpoint (MinIO, R2,
 * Ceph) the bucket is in the path, because its name may not be a host there.
 * @param option Option or variable with the address, for the error.
 * @throws KernelBotError `bad_request` that names each invalid variable and never quotes a secret.
 */
export function s3OptionsOf(place: string, env: NodeJS.ProcessEnv, option: string): S3Options {
  const [, bucket = "", path = ""] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(place) ?? [];
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  const accessKeyId = env.AWS_ACCESS_KEY_ID?.trim() ?? "";
  const secret = env.AWS_SECRET_ACCESS_KEY?.trim() ?? "";
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || "us-east-1";
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || "";
  const publicEndpoint = env.KERNELBOT_STORE_PUBLIC_URL || endpoint;
  const faults = [
    ...(BUCKET.test(bucket) && PREFIX.test(prefix)
      ? []
      : [`${option}: ${quote(place)} must have the form s3://BUCKET or s3://BUCKET/PREFIX`]),
    ...(/^[\w-]+$/.test(region) ? [] : [`AWS_REGION: ${quote(region)} is not a region`]),
    ...[
      ["AWS_ENDPOINT_URL_S3", endpoint],
      ["KERNELBOT_STORE_PUBLIC_URL", publicEndpoint],
    ].flatMap(([name = "", url = ""]) => (url === "" || isAddress(url) ? [] : [`${name}: use http(s)://HOST`])),
    ...(accessKeyId === "" ? ["AWS_ACCESS_KEY_ID: required"] : []),
    ...(secret === "" ? ["AWS_SECRET_ACCESS_KEY: required"] : []),
  ];
  if (faults.length > 0) throw new KernelBotError("bad_request", faults.join("; "));
  return {
    bucket,
    prefix,
    region,
    bucketUrl: addressOf(bucket, region, endpoint),
    publicBucketUrl: addressOf(bucket, region, publicEndpoint),
    accessKeyId,
    secretAccessKey: new Secret(secret),
    sessionToken: env.AWS_SESSION_TOKEN ? new Secret(env.AWS_SESSION_TOKEN) : undefined,
  };
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "";
}

/**
 * Returns the URL of a bucket. A bucket name with a dot is put into the path, because the service's wildcard
 * certificate does not cover such a host.
 */
function addressOf(bucket: string, region: string, endpoint: string): string {
  if (endpoint !== "") return `${endpoint.replace(/\/+$/, "")}/${bucket}`;
  const host = `s3.${region}.amazonaws.com`;
  return bucket.includes(".") ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}
