/** Fake of the Hugging Face Hub for publishing: one repository with files, commits and branches, and storage. */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { HubOptions } from "@kernelbot/dataset";

export const REPOSITORY = "lab/kernels";

/** Response that replaces the normal one. */
interface HubTrouble {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

interface Commit {
  oid: string;
  title: string;
  /** Contents of the files; for LFS files, the stored objects. */
  files: ReadonlyMap<string, Buffer>;
}

export interface FakeHub extends AsyncDisposable {
  options: HubOptions;
  /** Requests received, such as `POST /api/repos/create`; for storage, `PUT storage/OID/1`. */
  requests: string[];
  /** Commits of the branch `main`, newest last; empty before the repository is created. */
  commits: Commit[];
  /** Commits of each branch, newest last. */
  branches: Map<string, Commit[]>;
  /** Objects in storage by SHA-256. */
  objects: Map<string, Buffer>;
  /** Authorization headers received by storage; none may contain the token. */
  authorizations: (string | undefined)[];
  /** Part size of multipart uploads, in bytes. */
  partBytes: number;
  /** Number of files per page of a listing. */
  pageSize: number;
  /** Called before each response; its result replaces the normal one. */
  trouble: (request: string) => HubTrouble | undefined;
  /** Called at the start of a request: true breaks the connection while the body is being received. */
  breaks: (request: string) => boolean;
  /** Called after a request was processed: true breaks the connection before the response. */
  swallows: (request: string) => boolean;
  /** Transforms received bytes, to simulate corruption. */
  arrives: (bytes: Buffer) => Buffer;
  /** Commits as someone else, on `main` by default. */
  commit(title: string, change: (files: Map<string, Buffer>) => void, branch?: string): void;
}

/** @param type Type of the only repository, `lab/kernels`. */
export async function startFakeHub(type: "dataset" | "kernel" = "dataset"): Promise<FakeHub> {
  const parts = new Map<string, Map<number, Buffer>>();
  const hub = createServer((request, response) => serve(request, response, "", answerHub));
  const storage = createServer((request, response) => serve(request, response, "storage", answerStorage));
  const [hubUrl, storageUrl] = await Promise.all([listen(hub), listen(storage)]);

  const fake: FakeHub = {
    options: { token: "hf_secretsecret", repository: REPOSITORY, hubUrl },
    requests: [],
    commits: [],
    branches: new Map(),
    objects: new Map(),
    authorizations: [],
    partBytes: 1000,
    pageSize: 4,
    trouble: () => undefined,
    breaks: () => false,
    swallows: () => false,
    arrives: (bytes) => bytes,
    commit(title, change, branch = "main") {
      const commits = fake.branches.get(branch) ?? [];
      const files = new Map(commits.at(-1)?.files);
      change(files);
      commits.push({ oid: createHash("sha1").update(randomUUID()).digest("hex"), title, files });
    },
    async [Symbol.asyncDispose]() {
      for (const server of [hub, storage]) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };

  fake.branches.set("main", fake.commits);

  function serve(
    request: IncomingMessage,
    response: ServerResponse,
    host: string,
    answer: (method: string, url: URL, sent: Buffer) => HubTrouble,
  ): void {
    const url = new URL(request.url ?? "", hubUrl);
    const route = `${request.method ?? ""} ${host}${url.pathname}`;
    fake.requests.push(route);
    if (host !== "") fake.authorizations.push(request.headers.authorization);
    if (fake.breaks(route)) return void request.once("data", () => request.socket.destroy());
    buffer(request).then(
      (sent) => {
        const isKnown = host !== "" || request.headers.authorization === `Bearer ${fake.options.token}`;
        const refused: HubTrouble | undefined = isKnown
          ? undefined
          : { status: 401, body: { error: "Invalid credentials" } };
        const { status, headers, body } = fake.trouble(route) ?? refused ?? answer(request.method ?? "", url, sent);
        if (fake.swallows(route)) return void request.socket.destroy();
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify(body ?? {}));
      },
      () => undefined,
    );
  }

  function answerHub(method: string, url: URL, sent: Buffer): HubTrouble {
    const { pathname, searchParams } = url;
    const api = `/api/${type}s/${REPOSITORY}`;
    if (method === "POST" && pathname === "/api/repos/create") {
      if (fake.commits.length > 0) {
        return {
          status: 409,
          body: { error: `You already created this ${type} repo`, url: `${hubUrl}/${REPOSITORY}` },
        };
      }
      fake.commit("initial commit", (files) => files.set(".gitattributes", Buffer.from("*.parquet filter=lfs\n")));
      return { status: 200, body: { url: `${hubUrl}/${type}s/${REPOSITORY}`, id: REPOSITORY } };
    }
    if (fake.commits.length === 0) return { status: 404, body: { error: "Repository not found" } };
    const [action = "", branch = ""] = pathname.startsWith(`${api}/`) ? pathname.slice(api.length + 1).split("/") : [];
    if (method === "GET" && action === "tree") return tree(url, searchParams);
    if (method === "POST" && pathname === `/${type}s/${REPOSITORY}.git/info/lfs/objects/batch`) return batch(sent);
    if (method === "POST" && action === "branch") {
      if (fake.branches.has(branch)) return { status: 409, body: { error: "Reference already exists" } };
      fake.branches.set(branch, fake.commits.slice());
      return { status: 200 };
    }
    const head = fake.branches.get(branch)?.at(-1);
    if (head === undefined) return { status: 404, body: { error: `Invalid rev id: ${branch}` } };
    if (method === "GET" && action === "commits") {
      const { oid: id, title } = head;
      return { status: 200, body: [{ id, title, message: "", authors: [], date: "2026-01-01T00:00:00Z" }] };
    }
    if (method === "POST" && action === "preupload") {
      const { files } = JSON.parse(sent.toString()) as { files: { path: string }[] };
      const modes = files.map(({ path }) => ({ path, uploadMode: path.endsWith(".parquet") ? "lfs" : "regular" }));
      return { status: 200, body: { files: modes } };
    }
    if (method === "POST" && action === "commit") return take(branch, head, sent);
    return { status: 404, body: { error: "Not found" } };
  }

  /** Returns a page of the files of a commit. */
  function tree({ pathname }: URL, query: URLSearchParams): HubTrouble {
    const commits = [...fake.branches.values()].flat();
    const { files } = commits.find(({ oid }) => pathname.endsWith(oid)) ?? { files: new Map<string, Buffer>() };
    const from = Number(query.get("cursor") ?? 0);
    const all = [...files].map(([path, bytes]) => {
      const isObject = path.endsWith(".parquet");
      const lfs = { oid: sha256(bytes), size: bytes.length, pointerSize: 130 };
      return { type: "file", path, size: bytes.length, oid: gitName(bytes), ...(isObject && { lfs }) };
    });
    const next = `<${hubUrl}${pathname}?recursive=true&expand=false&cursor=${from + fake.pageSize}>; rel="next"`;
    const headers = from + fake.pageSize < all.length ? { link: next } : {};
    return { status: 200, headers, body: all.slice(from, from + fake.pageSize) };
  }

  /** Returns the upload URLs of objects; none for objects that are already stored. */
  function batch(sent: Buffer): HubTrouble {
    const { objects } = JSON.parse(sent.toString()) as { objects: { oid: string; size: number }[] };
    const answers = objects.map(({ oid, size }) => {
      if (fake.objects.has(oid)) return { oid, size };
      const count = Math.ceil(size / fake.partBytes);
      if (count <= 1) return { oid, size, actions: { upload: { href: `${storageUrl}/${oid}` } } };
      const addresses = Array.from({ length: count }, (_, n) => [
        String(n + 1).padStart(5, "0"),
        `${storageUrl}/${oid}/${n + 1}`,
      ]);
      const header = { chunk_size: String(fake.partBytes), ...(Object.fromEntries(addresses) as object) };
      return { oid, size, actions: { upload: { href: `${storageUrl}/${oid}/complete`, header } } };
    });
    return { status: 200, body: { transfer: "basic", objects: answers } };
  }

  function answerStorage(method: string, { pathname }: URL, sent: Buffer): HubTrouble {
    const [, oid = "", part] = pathname.split("/");
    const keep = (bytes: Buffer): HubTrouble => {
      if (sha256(bytes) !== oid) return { status: 400, body: { error: "BadDigest" } };
      fake.objects.set(oid, bytes);
      return { status: 200 };
    };
    if (method === "PUT" && part === undefined) return keep(fake.arrives(sent));
    const known = parts.get(oid) ?? new Map<number, Buffer>();
    parts.set(oid, known);
    if (method === "PUT") {
      known.set(Number(part), fake.arrives(sent));
      return { status: 200, headers: { etag: sha256(sent) } };
    }
    const { parts: named } = JSON.parse(sent.toString()) as { parts: { partNumber: number }[] };
    return keep(Buffer.concat(named.map(({ partNumber }) => known.get(partNumber) ?? Buffer.alloc(0))));
  }

  function take(branch: string, head: Commit, sent: Buffer): HubTrouble {
    const lines = sent
      .toString()
      .split("\n")
      .map((line) => JSON.parse(line) as { key: string; value: Record<string, string> });
    const header = lines.find(({ key }) => key === "header")?.value ?? {};
    if (header.parentCommit !== head.oid) return { status: 412, body: { error: "A commit has happened since." } };
    const changes = lines.filter(({ key }) => key !== "header");
    const objects = changes.filter(({ key }) => key === "lfsFile");
    if (objects.some(({ value }) => !fake.objects.has(value.oid ?? ""))) {
      return { status: 400, body: { error: "an object is not in storage" } };
    }
    const lost = changes.find(({ key, value }) => key === "deletedFile" && !head.files.has(value.path ?? ""));
    if (lost !== undefined) return { status: 400, body: { error: `${lost.value.path ?? ""} is not there` } };
    fake.commit(
      header.summary ?? "",
      (files) => {
        for (const { key, value } of changes) {
          const { path = "", oid = "", content = "" } = value;
          if (key === "deletedFile") files.delete(path);
          else files.set(path, key === "lfsFile" ? (fake.objects.get(oid) as Buffer) : Buffer.from(content, "base64"));
        }
      },
      branch,
    );
    const { oid = "" } = fake.branches.get(branch)?.at(-1) ?? {};
    return { status: 200, body: { success: true, commitOid: oid, commitUrl: `${hubUrl}/commit/${oid}` } };
  }

  return fake;
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function gitName(bytes: Buffer): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
