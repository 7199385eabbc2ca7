/** Archives of repositories over HTTP, as GitHub sends them, and as servers and archives fail. */
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Header, Pax } from "tar";
import { expect, onTestFinished, test } from "vitest";
import { withProblemsOf } from "./archive.ts";

const COMMIT = "c0ffee".padEnd(40, "0");
const TOP = `kernels-${COMMIT}`;
const BRANCH = { repository: "some/kernels", branch: "main" };
const PATH = "/some/kernels/tar.gz/refs/heads/main";

type Entry = [path: string, text: string, link?: { type: "SymbolicLink" | "Link"; linkpath: string }];

/** Returns a tar archive as `git archive` writes it: the commit in a global header, then one top folder. */
function tarOf(entries: readonly Entry[]): Buffer {
  const parts = entries.map(([path, text, link]) => {
    const type = link?.type ?? (path.endsWith("/") ? "Directory" : "File");
    const content = Buffer.from(text);
    const block = Buffer.alloc(512 * (1 + Math.ceil(content.length / 512)));
    new Header({ path, type, linkpath: link?.linkpath ?? "", size: content.length, mode: 0o664 }).encode(block);
    content.copy(block, 512);
    return block;
  });
  return Buffer.concat([new Pax({ comment: COMMIT }, true).encode(), ...parts, Buffer.alloc(1024)]);
}

const ORDINARY: Entry[] = [
  [`${TOP}/`, ""],
  [`${TOP}/README.md`, "kernels"],
  [`${TOP}/problems/`, ""],
  [`${TOP}/problems/set/double/task.yml`, "description: é\n"],
];

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns the content of all plain files of the fetched folder. */
function fetched(archives: string, fetchMs?: number): Promise<Record<string, string>> {
  return withProblemsOf(archives, BRANCH, async (folder) => filesIn(folder), fetchMs);
}

function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .filter((entry) => !entry.isDirectory())
      .map(({ name, parentPath }) => {
        const path = join(parentPath, name);
        return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
      }),
  );
}

test("an archive that follows a redirect, in chunks and of unknown length, gives the folder `problems`", async () => {
  const bytes = gzipSync(tarOf(ORDINARY));
  const archives = await serve((request, response) => {
    if (request.url === PATH) return void response.writeHead(302, { location: `/codeload${PATH}` }).end();
    if (request.url !== `/codeload${PATH}`) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/x-gzip", "content-disposition": "attachment" });
    response.write(bytes.subarray(0, 100));
    response.end(bytes.subarray(100));
  });
  expect(await fetched(archives)).toEqual({ "set/double/task.yml": "description: é\n" });
});

test("links of an archive are left out, and no file is written through one", async () => {
  const outside = `kernelbot-outside-${process.pid}`;
  const entries: Entry[] = [
    ...ORDINARY,
    [`${TOP}/problems/set/up`, "", { type: "SymbolicLink", linkpath: "../../.." }],
    [`${TOP}/problems/set/up/${outside}`, "through a link"],
    [`${TOP}/problems/set/double/passwd`, "", { type: "SymbolicLink", linkpath: "/etc/passwd" }],
    [`${TOP}/problems/set/double/hard`, "", { type: "Link", linkpath: "/etc/passwd" }],
  ];
  const archives = await serve((_, response) => response.end(gzipSync(tarOf(entries))));
  const files = await withProblemsOf(archives, BRANCH, async (folder) => {
    expect(existsSync(join(folder, "..", "..", outside))).toBe(false);
    return filesIn(folder);
  });
  expect(files).toEqual({
    "set/double/task.yml": "description: é\n",
    [`set/up/${outside}`]: "through a link",
  });
});

const WHOLE = gzipSync(tarOf(ORDINARY));

test.each<[string, (response: ServerResponse) => void, code: string, message: RegExp]>([
  ["a response of 404", (response) => response.writeHead(404).end(), "not_found", /check the repository and branch/],
  ["a response of 503", (response) => response.writeHead(503).end(), "unavailable", /main answers 503$/],
  [
    "a connection that closes before the response",
    (response) => response.destroy(),
    "unavailable",
    /main cannot be fetched: .*(socket|other side closed|ECONNRESET)/,
  ],
  [
    "a connection that closes within the archive",
    (response) => {
      response.writeHead(200, { "content-length": WHOLE.length });
      response.write(WHOLE.subarray(0, 100), () => response.destroy());
    },
    "unavailable",
    /main cannot be fetched: /,
  ],
  [
    "redirects without end",
    (response) => response.writeHead(302, { location: PATH }).end(),
    "unavailable",
    /main cannot be fetched: .*redirect/,
  ],
  ["half of an archive", (response) => response.end(WHOLE.subarray(0, 100)), "unavailable", /archive cannot be read/],
  [
    "half of a tar file",
    (response) => response.end(gzipSync(tarOf(ORDINARY).subarray(0, -1024 - 502))),
    "unavailable",
    /archive cannot be read/,
  ],
  ["a web page", (response) => response.end("<h1>Sign in</h1>"), "unavailable", /archive cannot be read/],
  [
    "a path that leaves the folder",
    (response) => response.end(gzipSync(tarOf([...ORDINARY, [`${TOP}/problems/../../../x`, "outside"]]))),
    "unavailable",
    /archive cannot be read: .*'\.\.'/,
  ],
])("%s is an error that says so, and nothing is imported", async (_, answer, code, message) => {
  const archives = await serve((__, response) => answer(response));
  const error: unknown = await fetched(archives).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
});

test.each([
  ["before the response", () => undefined],
  ["within the archive", (response: ServerResponse) => response.write(WHOLE.subarray(0, 100))],
] as const)("a server that stops %s is given up", async (__, answer) => {
  const archives = await serve((_, response) => void answer(response));
  await expect(fetched(archives, 200)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/main cannot be fetched: .*within 0\.2 s/) as string,
  });
});
