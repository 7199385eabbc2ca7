/**
 * Start of a single executable: unpacks the package that it contains into the user's cache, where no other user can
 * place code, and runs its program. Later starts find it there.
 */
const { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { homedir, tmpdir } = require("node:os");
const { dirname, join } = require("node:path");
const { createRequire } = require("node:module");
const { getAsset } = require("node:sea");
const { deserialize } = require("node:v8");
const { gunzipSync } = require("node:zlib");

const { name, hash } = JSON.parse(getAsset("package.json", "utf8"));

/** Returns the folder of the package. */
function unpacked() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kernelbot", "programs");
  const folder = join(cache, `${name}-${hash}`);
  if (existsSync(folder)) return folder;
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    const unfinished = mkdtempSync(`${folder}.`);
    unpackInto(unfinished);
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      // Another start was faster.
      rmSync(unfinished, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
    return folder;
  } catch (error) {
    if (!["EACCES", "EROFS", "EPERM", "ENOENT", "ENOTDIR"].includes(error.code)) throw error;
    const temporary = mkdtempSync(join(tmpdir(), `${name}-`));
    process.on("exit", () => rmSync(temporary, { recursive: true, force: true }));
    unpackInto(temporary);
    return temporary;
  }
}

function unpackInto(folder) {
  const files = deserialize(gunzipSync(Buffer.from(getAsset("files"))));
  files.push(["start.cjs", `import("./dist/${name}.js");\n`]);
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

// The main script of an executable cannot import files, but a module on disk can.
createRequire(join(unpacked(), "start.cjs"))("./start.cjs");
