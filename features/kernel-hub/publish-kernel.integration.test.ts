/** Publication of exported kernels to a hub that answers as the Hugging Face Hub does. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exportedEntry } from "@kernelbot/testing/cli/exported-entry.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { startFakeHub, type FakeHub } from "@kernelbot/testing/fake-hub.ts";
import { writeFiles } from "@kernelbot/cli/src/init/write-files.ts";
import { kernelNames } from "./names.ts";
import { universalRepository } from "./universal.ts";

const NAMES = kernelNames("vectoradd", undefined);

/** Opens a hub and a folder with an exported kernel. */
async function opened(version = 1) {
  const hub = await startFakeHub("kernel");
  const place = workshop();
  await writeFiles(join(place.folder, "kernel"), universalRepository(exportedEntry(), NAMES, version), false);
  return {
    hub,
    folder: join(place.folder, "kernel"),
    publish: (env: Record<string, string> = {}, ...args: string[]) =>
      place.kernelbot(["publish", "kernel", "kernel", "--repo", "lab/kernels", ...args], {
        env: {
          KERNELBOT_HUGGING_FACE_TOKEN: hub.options.token,
          KERNELBOT_HUGGING_FACE_URL: hub.options.hubUrl,
          ...env,
        },
      }),
    async [Symbol.asyncDispose]() {
      place[Symbol.dispose]();
      await hub[Symbol.asyncDispose]();
    },
  };
}

function filesOf(hub: FakeHub, branch: string): string[] {
  return [...(hub.branches.get(branch)?.at(-1)?.files.keys() ?? [])].toSorted();
}

test("the card goes to main and the builds to the branch of their version, under the repository's name", async () => {
  await using scene = await opened(3);
  const { hub, publish } = scene;
  const { code, out, err } = await publish();
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const commit = hub.branches.get("v3")?.at(-1);
  expect(out).toBe(
    `Published version 3 for torch-cpu: ${hub.options.hubUrl}/kernels/lab/kernels/tree/${commit?.oid}\n`,
  );
  expect(filesOf(hub, "main")).toEqual([".gitattributes", "LICENSE", "README.md"]);
  expect(filesOf(hub, "v3")).toEqual(expect.arrayContaining(["build/torch-cpu/metadata.json", "receipt/receipt.json"]));
  const card = hub.commits.at(-1)?.files.get("README.md")?.toString();
  expect(card).toContain('get_kernel("lab/kernels", version=3, trust_remote_code=True)');
});

test("repeated, commits nothing; a new export replaces its build and keeps those of other backends", async () => {
  await using scene = await opened();
  const { hub, folder, publish } = scene;
  await publish();
  hub.commit("another backend", (files) => files.set("build/torch-cuda/kernel.py", Buffer.from("x")), "v1");
  hub.commit("an old file", (files) => files.set("build/torch-cpu/old.py", Buffer.from("x")), "v1");
  expect(await publish()).toMatchObject({ code: 0 });
  expect(filesOf(hub, "v1")).toContain("build/torch-cuda/kernel.py");
  expect(filesOf(hub, "v1")).not.toContain("build/torch-cpu/old.py");
  const commits = hub.branches.get("v1")?.length;
  writeFileSync(join(folder, "notes.txt"), "not published");
  expect(await publish()).toMatchObject({ code: 0 });
  expect(hub.branches.get("v1")).toHaveLength(commits ?? 0);
});

test("a changed build is refused before anything is sent", async () => {
  await using scene = await opened();
  const { hub, folder, publish } = scene;
  writeFileSync(join(folder, "build/torch-cpu/kernel.py"), "changed\n");
  const refused = await publish();
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.err).toContain('"build/torch-cpu/kernel.py" differs from the digest');
  writeFileSync(join(folder, "build/torch-cpu/kernel.py"), readFileSync(join(folder, "receipt/submission.py")));
  writeFileSync(join(folder, "build/torch-cpu/more.py"), "");
  expect((await publish()).err).toContain("differs from the digest");
  expect(hub.requests).toEqual([]);
});

test("a folder without builds, a missing token and an invalid name of a repository are refused with a remedy", async () => {
  await using scene = await opened();
  const { publish } = scene;
  expect((await publish({ KERNELBOT_HUGGING_FACE_TOKEN: "" })).err).toContain(
    "KERNELBOT_HUGGING_FACE_TOKEN: use a Hugging",
  );
  expect((await publish({}, "--repo", "kernels")).err).toContain('--repo: "kernels" must have the form OWNER/NAME');
  using empty = workshop();
  const env = { KERNELBOT_HUGGING_FACE_TOKEN: "hf_secretsecret" };
  const none = await empty.kernelbot(["publish", "kernel", ".", "--repo", "lab/kernels"], { env });
  expect(none).toMatchObject({ code: 2 });
  expect(none.err.replaceAll(/\s+/g, " ")).toContain("write it with kernelbot export kernel");
});

test("a token that the hub refuses is reported and never shown", async () => {
  await using scene = await opened();
  const { hub, publish } = scene;
  hub.options.token = "hf_anotherone";
  const { code, out, err } = await publish({ KERNELBOT_HUGGING_FACE_TOKEN: "hf_secretsecret" });
  expect(code).toBe(2);
  expect(err.replaceAll(/\s+/g, " ")).toContain("rejected the token (401): set KERNELBOT_HUGGING_FACE_TOKEN");
  expect(out + err).not.toContain("secretsecret");
});
