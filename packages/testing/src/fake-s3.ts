/**
 * Fake S3 service with one bucket. Verifies each signature with an independent implementation (AWS Signature Version 4,
 * from AWS' documentation), and rejects invalid or expired signatures and bytes that do not match the signed hash.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export const KEY_ID = "AKIDEXAMPLE";
export const SECRET_KEY = "wJalrXUtnFEMI+K7MDENG+bPxRfiCYEXAMPLEKEY";
const REGION = "eu-test-1";
const BUCKET = "kernels";

/** Smallest part of a multipart upload but the last, in bytes; the real service's is 5 MiB. */
export const MIN_PART_BYTES = 1000;

/** `lose the response`: the request takes effect, and the connection breaks before the response. */
type Trouble = "hang up" | "never answer" | "lose the response";

export interface FakeS3 extends AsyncDisposable {
  /** Environment of a server that stores its objects in `s3://kernels/lab/`. */
  env: Record<string, string>;
  /** Objects of the bucket, by full name. */
  objects: Map<string, Buffer>;
  /** Requests received, such as `PUT lab/ab12` or `PUT lab/ab12?partNumber=1`. */
  requests: string[];
  /** Unfinished multipart uploads: parts by number. */
  uploads: Map<string, { name: string; parts: Map<number, Buffer> }>;
  /** Maximum number of entries of one response to a list request. */
  pageSize: number;
  /** Called before each response; its result replaces the normal one. */
  trouble: (request: string) => { status: number; code: string } | Trouble | undefined;
  /** Numbers of bytes of an object after which the connection breaks, each used once. */
  breaksAfter: number[];
  /** Seconds by which the service's clock is ahead. */
  aheadS: number;
}

export async function startFakeS3(): Promise<FakeS3> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeS3 = {
    env: {
      KERNELBOT_STORE: `s3://${BUCKET}/lab`,
      AWS_ENDPOINT_URL_S3: url,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: KEY_ID,
      AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    },
    objects: new Map(),
    requests: [],
    uploads: new Map(),
    pageSize: 1000,
    trouble: () => undefined,
    breaksAfter: [],
    aheadS: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "" } = request;
    const url = new URL(request.url ?? "", "http://s3");
    const [bucket, ...rest] = url.pathname.slice(1).split("/");
    const name = rest.join("/");
    const { searchParams: query } = url;
    const [operation] = ["list-type", "uploads", "partNumber", "uploadId"].filter((key) => query.has(key));
    const described = `${method} ${name}${operation === undefined ? "" : `?${operation}=${query.get(operation)}`}`;
    fake.requests.push(described);
    const trouble = fake.trouble(described);
    if (trouble === "never answer") return;
    if (trouble === "hang up") return void request.socket.destroy();
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    if (trouble === "lose the response") {
      response.end = () => {
        request.socket.destroy();
        return response;
      };
    }
    const refusal =
      (typeof trouble === "object" ? trouble : undefined) ??
      faultOf(request, url, body, Date.now() + fake.aheadS * 1000);
    if (refusal !== undefined) return refuse(response, refusal.status, refusal.code);
    if (bucket !== BUCKET) return refuse(response, 404, "NoSuchBucket");
    if (operation === "list-type") return list(response, query);
    if (operation !== undefined) return answerUpload(response, { method, name, query, body });
    if (method === "PUT") {
      if (request.headers["content-length"] === undefined) return refuse(response, 411, "MissingContentLength");
      response.setHeader("etag", etagOf(body));
      fake.objects.set(name, body);
      return void response.end();
    }
    if (method === "DELETE") {
      fake.objects.delete(name);
      return void response.writeHead(204).end();
    }
    const bytes = fake.objects.get(name);
    if (bytes === undefined) return refuse(response, 404, "NoSuchKey");
    give(request, response, bytes, url.searchParams);
  }

  /** ListObjectsV2, with `encoding-type=url`. */
  function list(response: ServerResponse, query: URLSearchParams): void {
    const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""];
    const after = Buffer.from(query.get("continuation-token") ?? "", "base64").toString();
    const entries = new Set(
      [...fake.objects.keys()].toSorted().flatMap((name) => {
        if (!name.startsWith(prefix)) return [];
        const end = delimiter === "" ? -1 : name.indexOf(delimiter, prefix.length);
        return [end < 0 ? name : name.slice(0, end + 1)];
      }),
    );
    const rest = [...entries].filter((entry) => entry > after);
    const page = rest.slice(0, fake.pageSize);
    const isTruncated = page.length < rest.length;
    const shown = page.map((entry) => {
      const text = encodeURIComponent(entry).replaceAll("%2F", "/").replaceAll("%20", "+");
      return delimiter !== "" && entry.endsWith(delimiter)
        ? `<CommonPrefixes><Prefix>${text}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${text}</Key><Size>${fake.objects.get(entry)?.length}</Size></Contents>`;
    });
    const token = isTruncated
      ? `<NextContinuationToken>${Buffer.from(page.at(-1) ?? "").toString("base64")}</NextContinuationToken>`
      : "";
    sendXml(
      response,
      `<ListBucketResult><Name>${BUCKET}</Name><Prefix>${prefix}</Prefix><KeyCount>${page.length}</KeyCount>` +
        `<IsTruncated>${isTruncated}</IsTruncated>${token}${shown.join("")}</ListBucketResult>`,
    );
  }

  /** CreateMultipartUpload, UploadPart, CompleteMultipartUpload and AbortMultipartUpload. */
  function answerUpload(
    response: ServerResponse,
    { method, name, query, body }: { method: string; name: string; query: URLSearchParams; body: Buffer },
  ): void {
    if (query.has("uploads")) {
      const id = `upload-${fake.requests.length}`;
      fake.uploads.set(id, { name, parts: new Map() });
      return sendXml(
        response,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    const id = query.get("uploadId") ?? "";
    const upload = fake.uploads.get(id);
    if (upload?.name !== name) return refuse(response, 404, "NoSuchUpload");
    if (method === "PUT") {
      upload.parts.set(Number(query.get("partNumber")), body);
      return void response.writeHead(200, { etag: etagOf(body) }).end();
    }
    if (method === "DELETE") {
      fake.uploads.delete(id);
      return void response.writeHead(204).end();
    }
    const parts = Array.from(
      body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g),
      ([, number, etag]) => ({ bytes: upload.parts.get(Number(number)), etag }),
    );
    if (parts.length === 0) return refuse(response, 400, "MalformedXML");
    if (parts.some(({ bytes, etag }) => bytes === undefined || etagOf(bytes) !== etag)) {
      return refuse(response, 400, "InvalidPart");
    }
    const all = parts.map(({ bytes }) => bytes as Buffer);
    if (all.slice(0, -1).some((bytes) => bytes.length < MIN_PART_BYTES)) return refuse(response, 400, "EntityTooSmall");
    fake.uploads.delete(id);
    fake.objects.set(name, Buffer.concat(all));
    const etag = `&quot;${sha256(body).slice(0, 32)}-${all.length}&quot;`;
    sendXml(response, `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`);
  }

  function give(request: IncomingMessage, response: ServerResponse, bytes: Buffer, query: URLSearchParams): void {
    const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1];
    if (Number(from) >= bytes.length) return refuse(response, 416, "InvalidRange");
    const part = bytes.subarray(Number(from ?? 0));
    for (const header of ["content-type", "content-disposition"]) {
      const value = query.get(`response-${header}`);
      if (value !== null) response.setHeader(header, value);
    }
    response.writeHead(from === undefined ? 200 : 206, {
      "accept-ranges": "bytes",
      "content-length": part.length,
      etag: etagOf(bytes),
      ...(from !== undefined && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    if (request.method === "HEAD") return void response.end();
    const breaksAfter = fake.breaksAfter.shift();
    if (breaksAfter === undefined) return void response.end(part);
    response.write(part.subarray(0, breaksAfter), () => response.destroy());
  }

  return fake;
}

function sendXml(response: ServerResponse, xml: string): void {
  response.setHeader("content-type", "application/xml");
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
}

/** Returns the entity tag of an object that was uploaded in one request: its MD5. */
function etagOf(bytes: Buffer): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
}

const DENIED = { status: 403, code: "AccessDenied" };

/** Returns the error of a request with an invalid signature, in the header or in the query. */
function faultOf(request: IncomingMessage, url: URL, body: Buffer, now: number) {
  const query = url.searchParams;
  const querySignature = query.get("X-Amz-Signature");
  const header =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? "",
    ) ?? [];
  const [credential, signedHeaders, signature] =
    querySignature === null
      ? header.slice(1)
      : [query.get("X-Amz-Credential"), query.get("X-Amz-SignedHeaders"), querySignature];
  const date = querySignature === null ? String(request.headers["x-amz-date"]) : (query.get("X-Amz-Date") ?? "");
  const payload = querySignature === null ? String(request.headers["x-amz-content-sha256"]) : "UNSIGNED-PAYLOAD";
  const scope = `${date.slice(0, 8)}/${REGION}/s3/aws4_request`;
  if (credential !== `${KEY_ID}/${scope}` || !signedHeaders || !signature) return DENIED;
  if (!signedHeaders.split(";").includes("host")) return DENIED;
  const at = Date.parse(date.replace(/^(\d{4})(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const lastsS = querySignature === null ? 900 : Number(query.get("X-Amz-Expires"));
  if (!(Math.abs(now - at) < lastsS * 1000))
    return querySignature === null ? { ...DENIED, code: "RequestTimeTooSkewed" } : DENIED;
  query.delete("X-Amz-Signature");
  const canonical = [
    request.method,
    url.pathname.split("/").map(encoded).join("/"),
    Array.from(query, (pair) => pair.map(encodeURIComponent).map(encoded).join("="))
      .toSorted()
      .join("&"),
    ...signedHeaders.split(";").map((name) => `${name}:${String(request.headers[name])}`),
    "",
    signedHeaders,
    payload,
  ].join("\n");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const key = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${SECRET_KEY}`);
  const toSign = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  if (!timingSafeEqual(hmac(key, toSign), Buffer.from(signature, "hex"))) {
    return { status: 403, code: "SignatureDoesNotMatch" };
  }
  if (querySignature === null && sha256(body) !== payload) return { status: 400, code: "XAmzContentSHA256Mismatch" };
  return undefined;
}

/** Escapes the characters that AWS escapes and encodeURIComponent does not. */
function encoded(text: string): string {
  return text.replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
