import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { startServer, type Program } from "../scripts/processes.ts";
import type { Bench, Figure } from "./figure.ts";

const ROOT = resolve(import.meta.dirname, "..");
const PLATFORM = `linux-${process.arch}`;
/** Number of starts, of which the median counts. */
const STARTS = 9;

const PROGRAMS = [
  { name: "kernelbot", workspace: "cli", option: "--version" },
  { name: "kernelbot-runner", workspace: "runner", option: "--help" },
  { name: "kernelbot-server", workspace: "server", option: "--help" },
] as const;

/**
 * Measures sizes, installation times with a filled cache of npm, and start times of the published programs. Peer: a clone
 * of the last commit with `npm ci`, which starts the programs from their sources.
 */
export const install: Bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), "kernelbot-install-"));
  try {
    const built = join(folder, "built");
    run(
      process.execPath,
      join(ROOT, "scripts/release/main.ts"),
      "--platform",
      PLATFORM,
      "--artifacts",
      "--output",
      built,
    );
    const artifacts = join(built, "artifacts");
    const clone = join(folder, "clone");
    const cloneS = seconds(() => {
      run("git", "clone", "--quiet", ROOT, clone);
      run("npm", "ci", "--prefix", clone, "--no-audit", "--no-fund");
    });
    const cloneMb = megabytes(clone);
    const source = (workspace: string): Program => [
      process.execPath,
      join(clone, "packages", workspace, "src/main.ts"),
    ];
    const figures: Figure[] = [];
    const add = (name: string, unit: Figure["unit"], value: number, peerValue: number) =>
      figures.push({ name, unit, value, peer: "clone", peerValue });

    for (const { name, workspace, option } of PROGRAMS) {
      const prefix = join(folder, name);
      const installS = installPackage(artifacts, name, prefix);
      const program: Program = [process.execPath, join(prefix, "lib/node_modules", name, "dist", `${name}.js`)];
      add(`${name}: size`, "MB", megabytes(prefix), cloneMb);
      add(`${name}: installation`, "s", installS, cloneS);
      add(`${name}: ${option}`, "ms", startMs(program, option), startMs(source(workspace), option));
      if (name === "kernelbot-server") {
        add(`${name}: until ready`, "s", await readyS(program), await readyS(source(workspace)));
      }
    }

    const executable = join(folder, "executable");
    const compressed = readFileSync(join(artifacts, `kernelbot-${PLATFORM}.gz`));
    writeFileSync(executable, gunzipSync(compressed), { mode: 0o755 });
    add("executable: download", "MB", compressed.length / 1e6, cloneMb);
    add("executable: size", "MB", megabytes(executable), cloneMb);
    // The first start unpacks the programs.
    const cache = join(folder, "cache");
    const firstMs = 1000 * seconds(() => run("env", `XDG_CACHE_HOME=${cache}`, executable, "--version"));
    const fromSourceMs = startMs(source("cli"), "--version");
    add("executable: first --version", "ms", firstMs, fromSourceMs);
    add(
      "executable: --version",
      "ms",
      startMs(["env", `XDG_CACHE_HOME=${cache}`, executable], "--version"),
      fromSourceMs,
    );
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Installs a package twice, the second time from the cache. @returns the time of the second installation in s */
function installPackage(artifacts: string, name: string, prefix: string): number {
  const file = readdirSync(artifacts).find((each) => new RegExp(`^${name}-\\d.*\\.tgz$`).test(each)) ?? "";
  const installOnce = (): void => run("npm", "install", "--global", "--prefix", prefix, join(artifacts, file));
  installOnce();
  rmSync(prefix, { recursive: true });
  return seconds(installOnce);
}

/** Time in s until a server with an empty data folder responds. */
async function readyS(program: Program): Promise<number> {
  const start = performance.now();
  const server = await startServer({ program });
  const end = performance.now();
  await server[Symbol.asyncDispose]();
  return (end - start) / 1000;
}

/** Median time in ms in which a program prints what an option asks for. */
function startMs(program: readonly string[], option: string): number {
  const [file = "", ...args] = program;
  const times = Array.from({ length: STARTS }, () => 1000 * seconds(() => run(file, ...args, option)));
  return times.toSorted((one, other) => one - other)[Math.floor(STARTS / 2)] ?? NaN;
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
}

/** Time of an action in s. */
function seconds(action: () => void): number {
  const start = performance.now();
  action();
  return (performance.now() - start) / 1000;
}

/** Size of a file, or of all files in a folder. */
function megabytes(path: string): number {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.size / 1e6;
  return readdirSync(path).reduce((sum, name) => sum + megabytes(join(path, name)), 0);
}
