/** Fake of GitHub's API for an App: tokens, pull requests, git objects, comments and statuses of one repository. */
import { createHmac, createVerify, generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fakeGit, type Files } from "./fake-git.ts";

export const REPOSITORY = "lab/kernels";
const APP_ID = 77;
const INSTALLATION = 5;
const BOT = { login: "kernelbot[bot]", type: "Bot" } as const;
const STRANGER = { login: "stranger", type: "User" } as const;
const WEBHOOK_SECRET = "what only GitHub knows";

/** Webhook delivery from GitHub. */
export interface Delivery {
  headers: Record<string, string>;
  body: string;
}

interface Comment {
  id: number;
  body: string;
  performed_via_github_app: { id: number } | null;
  user: { login: string; type: "Bot" | "User" };
}

export interface FakePull {
  readonly number: number;
  readonly head: string;
  readonly labels: Set<string>;
  readonly comments: Comment[];
  /** Adds a comment by someone other than the App. */
  comment(body: string): void;
  label(by: string, name?: string): Delivery;
  unlabel(by: string): Delivery;
  /** Pushes a new head. */
  push(files: Files): Delivery;
  /** Merges the head, or other contents. */
  merge(files?: Files): Delivery;
  close(): Delivery;
  reopen(): Delivery;
}

/** Response that replaces the normal one. */
export interface Trouble {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface FakeGitHub extends AsyncDisposable {
  /** The registered App. */
  app: { appId: number; privateKey: string; webhookSecret: string; apiUrl: string };
  /** Permissions of users in the repository; all others have `read`. */
  permissions: Record<string, string>;
  /** Requests received, such as `GET /repos/lab/kernels/pulls/1`. */
  requests: string[];
  /** Commit statuses, in order. */
  statuses: { sha: string; state: string; description: string; target_url: string }[];
  /** Called before each response; its result replaces the normal one. */
  trouble: (request: string) => Trouble | undefined;
  /**
   * Called after a request was processed and before the response is sent: true breaks the connection, like a crash of
   * the server.
   */
  breaks: (request: string) => boolean;
  open(files: Files, author?: string): FakePull;
  /** Address of the API, and a token of the installation, as a job of GitHub Actions gets them. */
  job(): { GITHUB_API_URL: string; GITHUB_TOKEN: string };
}

const BASE: Files = { "README.md": "Kernels", "submissions/old.json": "{}" };

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
});

export async function startFakeGitHub(): Promise<FakeGitHub> {
  const git = fakeGit();
  const tokens = new Set<string>();
  const pulls: (FakePull & { state: "open" | "closed"; delivery: (action: string, more?: object) => Delivery })[] = [];
  let lastComment = 100;

  function open(files: Files, author = "stranger"): FakePull {
    let head = git.commit({ ...BASE, ...files });
    const number = pulls.length + 1;
    const delivery = (action: string, more: { sender?: string; label?: string; merged?: string } = {}): Delivery => {
      const body = JSON.stringify({
        action,
        number,
        ...(more.label !== undefined && { label: { name: more.label } }),
        installation: { id: INSTALLATION },
        repository: { full_name: "Lab/Kernels" },
        sender: { login: more.sender ?? author },
        pull_request: {
          number,
          user: { login: author },
          head: { sha: head, repo: { full_name: `${author}/kernels` } },
          merged: more.merged !== undefined,
          merge_commit_sha: more.merged ?? null,
        },
      });
      const signature = createHmac("sha256", WEBHOOK_SECRET).update(body).digest("hex");
      const headers = {
        "content-type": "application/json",
        "x-github-event": "pull_request",
        "x-github-delivery": randomUUID(),
        "x-hub-signature-256": `sha256=${signature}`,
      };
      return { headers, body };
    };
    const pull = {
      number,
      get head() {
        return head;
      },
      state: "open" as "open" | "closed",
      labels: new Set<string>(),
      comments: [] as Comment[],
      delivery,
      comment(body: string) {
        pull.comments.push({ id: (lastComment += 1), body, performed_via_github_app: null, user: STRANGER });
      },
      label(sender: string, label = "evaluate") {
        pull.labels.add(label);
        return delivery("labeled", { sender, label });
      },
      unlabel(sender: string) {
        pull.labels.delete("evaluate");
        return delivery("unlabeled", { sender, label: "evaluate" });
      },
      push(next: Files) {
        head = git.commit({ ...BASE, ...next });
        return delivery("synchronize");
      },
      merge(made?: Files) {
        pull.state = "closed";
        return delivery("closed", { merged: made === undefined ? head : git.commit({ ...BASE, ...made }) });
      },
      close() {
        pull.state = "closed";
        return delivery("closed");
      },
      reopen() {
        pull.state = "open";
        return delivery("reopened");
      },
    };
    pulls.push(pull);
    return pull;
  }

  /** Returns the files that the head changes, in GitHub's format. */
  function changedFiles(head: string): { filename: string; status: string }[] {
    const files = git.filesOf(head);
    const paths = [...new Set([...Object.keys(BASE), ...Object.keys(files)])].toSorted();
    return paths.flatMap((filename) => {
      if (!(filename in files)) return [{ filename, status: "removed" }];
      if (!(filename in BASE)) return [{ filename, status: "added" }];
      return files[filename] === BASE[filename] ? [] : [{ filename, status: "modified" }];
    });
  }

  function answer(method: string, path: string, query: URLSearchParams, body: Record<string, unknown>): Trouble {
    const page = (all: readonly unknown[]): Trouble => {
      const size = Math.min(100, Number(query.get("per_page") ?? 30));
      const from = (Number(query.get("page") ?? 1) - 1) * size;
      return { status: 200, body: all.slice(from, from + size) };
    };
    const [, rest = ""] = new RegExp(`^/repos/${REPOSITORY}/(.+)$`).exec(path) ?? [];
    const [kind = "", second = "", third = "", fourth = ""] = rest.split("/").map(decodeURIComponent);
    const pull = pulls[Number(second) - 1];
    const none = { status: 404, body: { message: "Not Found" } };
    const isTooLong = String(body.body).length > 65_536 || String(body.description).length > 140;
    if (isTooLong) return { status: 422, body: { message: "Validation Failed", errors: [{ code: "custom" }] } };
    switch (`${method} ${kind}`) {
      case "GET collaborators":
        return { status: 200, body: { permission: fake.permissions[second] ?? "read" } };
      case "GET pulls": {
        if (pull === undefined) return none;
        if (third === "files") return page(changedFiles(pull.head));
        const labels = [...pull.labels].map((name) => ({ name }));
        return { status: 200, body: { state: pull.state, head: { sha: pull.head }, labels } };
      }
      case "GET git": {
        if (second === "trees") {
          const tree = git.tree(third);
          return tree === undefined ? none : { status: 200, body: { sha: third, tree, truncated: false } };
        }
        const blob = git.blob(third);
        return blob === undefined ? none : { status: 200, body: blob };
      }
      case "DELETE issues":
        return pull?.labels.delete(fourth) === true ? { status: 200, body: [] } : none;
      case "GET issues":
        return pull === undefined ? none : page(pull.comments);
      case "POST issues": {
        const comment = {
          id: (lastComment += 1),
          body: String(body.body),
          performed_via_github_app: { id: APP_ID },
          user: BOT,
        };
        pull?.comments.push(comment);
        return { status: 201, body: comment };
      }
      case "PATCH issues": {
        const comment = pulls.flatMap(({ comments }) => comments).find(({ id }) => id === Number(third));
        if (comment === undefined) return none;
        comment.body = String(body.body);
        return { status: 200, body: comment };
      }
      case "POST statuses": {
        const { state, description, target_url } = body as Record<string, string>;
        fake.statuses.push({
          sha: second,
          state: state ?? "",
          description: description ?? "",
          target_url: target_url ?? "",
        });
        return { status: 201, body: {} };
      }
      default:
        return none;
    }
  }

  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://github");
      const method = request.method ?? "";
      const what = `${method} ${pathname}`;
      fake.requests.push(what);
      const { status, headers = {}, body } = fake.trouble(what) ?? authorized(request.headers.authorization ?? "");
      if (fake.breaks(what)) return void request.socket.destroy();
      const isBytes = body instanceof Uint8Array;
      // GitHub also adds a charset to raw content, whatever the bytes are.
      const type = `${isBytes ? "application/vnd.github.raw+json" : "application/json"}; charset=utf-8`;
      response.writeHead(status, { "content-type": type, ...headers });
      response.end(isBytes ? body : JSON.stringify(body));

      function authorized(authorization: string): Trouble {
        const token = authorization.replace(/^(bearer|token) /i, "");
        if (pathname === `/app/installations/${INSTALLATION}/access_tokens`) {
          if (!isFromApp(token)) return { status: 401, body: { message: "A JSON web token could not be decoded" } };
          const made = `ghs_${randomUUID()}`;
          tokens.add(made);
          const expires_at = new Date(Date.now() + 3_600_000).toISOString();
          return { status: 201, body: { token: made, expires_at, permissions: {}, repository_selection: "selected" } };
        }
        if (!tokens.has(token)) return { status: 401, body: { message: "Bad credentials" } };
        return answer(method, pathname, searchParams, sent === "" ? {} : (JSON.parse(sent) as Record<string, unknown>));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const fake: FakeGitHub = {
    app: {
      appId: APP_ID,
      privateKey,
      webhookSecret: WEBHOOK_SECRET,
      apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    permissions: { mia: "write", root: "admin", tim: "triage" },
    requests: [],
    statuses: [],
    trouble: () => undefined,
    breaks: () => false,
    open,
    job() {
      const token = `ghs_${randomUUID()}`;
      tokens.add(token);
      return { GITHUB_API_URL: fake.app.apiUrl, GITHUB_TOKEN: token };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return fake;
}

/** Returns whether a JSON web token is signed by the App's key (RFC 7515). */
function isFromApp(token: string): boolean {
  const [header = "", payload = "", signature = ""] = token.split(".");
  if (!createVerify("RSA-SHA256").update(`${header}.${payload}`).verify(publicKey, signature, "base64url"))
    return false;
  const { iss } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { iss: unknown };
  return Number(iss) === APP_ID;
}
