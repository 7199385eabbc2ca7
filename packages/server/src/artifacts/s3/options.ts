/** The object store that the environment names: a bucket of a service that speaks S3, else none. */
import { KernelBotError, quote } from "@kernelbot/core";
import { Secret } from "./secret.ts";

export interface S3Options {
  bucket: string;
  /** Before the name of each object: empty, or with a slash at its end. */
  prefix: string;
  region: string;
  /** Where objects are: the address of the bucket. */
  bucketUrl: string;
  /** The same as browsers reach it, who are given links. */
  publicBucketUrl: string;
  accessKeyId: string;
  secretAccessKey: Secret;
  sessionToken: Secret | undefined;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^([A-Za-z0-9][A-Za-z0-9._-]{0,99}\/){0,8}$/;

/**
 * What KERNELBOT_STORE says, as `s3://BUCKET` or `s3://BUCKET/PREFIX`, with the variables that other programs of S3 read as
 * well. With an endpoint of one's own (MinIO, R2, Ceph) the bucket is in the path, since its name need be no host there.
 * @throws KernelBotError `bad_request` that names each variable that is wrong, and never quotes a secret.
 */
export function readS3Options(env: NodeJS.ProcessEnv): S3Options | undefined {
  const place = env.KERNELBOT_STORE?.trim() ?? "";
  if (place === "") return undefined;
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
      : [`KERNELBOT_STORE: ${quote(place)} is not like s3://BUCKET or s3://BUCKET/PREFIX`]),
    ...(/^[\w-]+$/.test(region) ? [] : [`AWS_REGION: ${quote(region)} is no region`]),
    ...[
      ["AWS_ENDPOINT_URL_S3", endpoint],
      ["KERNELBOT_STORE_PUBLIC_URL", publicEndpoint],
    ].flatMap(([name = "", url = ""]) => (url === "" || isAddress(url) ? [] : [`${name}: use http(s)://HOST`])),
    ...(accessKeyId === "" ? ["AWS_ACCESS_KEY_ID: say whose key"] : []),
    ...(secret === "" ? ["AWS_SECRET_ACCESS_KEY: the key itself is missing"] : []),
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

/** A bucket with a dot in its name would be a host that no certificate of the service covers. */
function addressOf(bucket: string, region: string, endpoint: string): string {
  if (endpoint !== "") return `${endpoint.replace(/\/+$/, "")}/${bucket}`;
  const host = `s3.${region}.amazonaws.com`;
  return bucket.includes(".") ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}
