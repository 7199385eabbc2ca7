/**
 * Start of a single executable: unpacks the packages that it contains into the user's cache, where no other user can
 * place code, and runs the program that it was started as. Later starts find them there.
 */
const { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { homedir, tmpdir } = require("node:os");
const { basename, dirname, join } = require("node:path");
const { getAsset } = require("node:sea");
const { deserialize } = require("node:v8");
const { gunzipSync } = require("node:zlib");

const { hash, programs } = JSON.parse(getAsset("contents.json", "utf8"));

/** Returns the folder of the packages. */
function unpacked() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kernelbot", "programs");
  const folder = join(cache, hash);
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
    const temporary = mkdtempSync(join(tmpdir(), "kernelbot-program-"));
    process.on("exit", () => rmSync(temporary, { recursive: true, force: true }));
    unpackInto(temporary);
    return temporary;
  }
}

function unpackInto(folder) {
  const files = deserialize(gunzipSync(Buffer.from(getAsset("files"))));
  for (const program of programs) files.push([`${program}.cjs`, `import("./${program}/dist/${program}.js");\n`]);
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

const called = basename(process.argv0).replace(/\.exe$/i, "");
const program = programs.includes(called) ? called : programs[0];
// The main script of an executable cannot import files, but a module on disk can.
createRequire(join(unpacked(), "main.cjs"))(`./${program}.cjs`);
