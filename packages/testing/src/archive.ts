/** Fake of GitHub's archive server, with the branch `main` of `some/kernels`. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { create } from "tar";
import { inject } from "vitest";
import { problemFiles } from "./fixtures.ts";

interface ArchiveServer extends AsyncDisposable {
  url: string;
}

/**
 * Starts the server. The archive contains the set `set` with a changed, a new and a broken problem.
 * @param further Further files by path below the folder `problems`.
 */
export async function openArchiveServer(further: Record<string, string> = {}): Promise<ArchiveServer> {
  const folder = mkdtempSync(join(inject("scratch"), "archive-"));
  const problems = {
    double: problemFiles((task) => `${task}\nstop: paper\n`),
    quadruple: problemFiles(),
    broken: { "task.yml": problemFiles()["task.yml"] ?? "" },
  };
  for (const [name, files] of Object.entries(problems)) {
    const path = join(folder, "kernels-main", "problems", "set", name);
    mkdirSync(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  }
  for (const [path, text] of Object.entries(further)) {
    const file = join(folder, "kernels-main", "problems", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  await create({ gzip: true, file: join(folder, "main.tar.gz"), cwd: folder }, ["kernels-main"]);
  const archive = readFileSync(join(folder, "main.tar.gz"));
  const server = createServer((request, response) => {
    const found = request.url === "/some/kernels/tar.gz/refs/heads/main";
    response.writeHead(found ? 200 : 404).end(found ? archive : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
