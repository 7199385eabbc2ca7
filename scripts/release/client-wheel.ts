/** Writes the wheel of the Python client, with the metadata of its `pyproject.toml`. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { ROOT } from "./bundle.ts";
import { readManifest } from "./package-folder.ts";
import { pythonVersion, writeWheelFile } from "./wheel-file.ts";

const PROJECT = join(ROOT, "clients/python");

/** Ending of the file name of a wheel that runs everywhere, which no other wheel of ours has. */
export const PURE_TAG = "py3-none-any";

const projectSchema = z.object({
  project: z.object({
    name: z.string(),
    description: z.string(),
    license: z.string(),
    "requires-python": z.string(),
    "optional-dependencies": z.record(z.string(), z.array(z.string())),
  }),
});

/** Writes `kernelbot-VERSION-py3-none-any.whl` into a folder. Returns its name. */
export async function writeClientWheel(outdir: string): Promise<string> {
  const { project } = projectSchema.parse(parse(await readFile(join(PROJECT, "pyproject.toml"), "utf8")));
  const { version } = await readManifest(ROOT);
  const names = (await readdir(join(PROJECT, project.name))).filter((name) => /\.(py|typed)$/.test(name)).toSorted();
  const files = await Promise.all(
    names.map(async (name) => [`${project.name}/${name}`, await readFile(join(PROJECT, project.name, name))] as const),
  );
  const extras = Object.entries(project["optional-dependencies"]).flatMap(([extra, requirements]) => [
    `Provides-Extra: ${extra}`,
    ...requirements.map((requirement) => `Requires-Dist: ${requirement}; extra == "${extra}"`),
  ]);
  return writeWheelFile(
    {
      name: project.name,
      version: pythonVersion(version),
      tag: PURE_TAG,
      isPure: true,
      metadata: [
        `Summary: ${project.description}`,
        `License: ${project.license}`,
        `Requires-Python: ${project["requires-python"]}`,
        ...extras,
      ],
      files: Object.fromEntries(files),
    },
    outdir,
  );
}
