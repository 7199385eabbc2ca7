/**
 * Reads the launchers of a server from one TOML file:
 *
 *     [launchers.cluster]
 *     kind = "kubernetes"
 *     namespace = "kernels"
 *
 *     [launchers.cluster.targets.H100]
 *     image = "ghcr.io/example/kernelbot-runner-cuda@sha256:..."
 *     maxRunners = 4
 *
 * Secrets are in separate files, of which the configuration contains only the paths, so that it can be printed.
 */
import { readFileSync } from "node:fs";
import { KernelBotError, LAUNCHER_KINDS, LauncherName, quote, TargetName, type LauncherKind } from "@kernelbot/core";
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import type { Launcher } from "./launcher.ts";
import { KINDS } from "./kinds.ts";
import type { TargetSettings } from "./settings.ts";

export interface LauncherConfig {
  name: string;
  kind: LauncherKind;
  settings: unknown;
  /** Targets in the order of the file. */
  targets: ReadonlyMap<string, TargetSettings>;
}

/** Reads and validates the file. @throws KernelBotError `bad_request` that names the file and all its faults. */
export function readLaunchers(file: string): LauncherConfig[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new KernelBotError("bad_request", `--launchers ${quote(file)}: ${(error as Error).message}`);
  }
  return parseLaunchers(text, file);
}

const Outer = z.strictObject({ launchers: z.record(LauncherName, z.looseObject({ kind: z.enum(LAUNCHER_KINDS) })) });

export function parseLaunchers(text: string, file: string): LauncherConfig[] {
  const faults: string[] = [];
  const outer = Outer.safeParse(read(text, file));
  if (!outer.success) throw refusal(file, sentences(outer.error, []));
  const launchers = Object.entries(outer.data.launchers).map(([name, { kind, ...inner }]): LauncherConfig => {
    const shape = KINDS[kind].settings.safeExtend({
      targets: z
        .record(TargetName, KINDS[kind].target)
        .refine((targets) => Object.keys(targets).length > 0, "name at least one target"),
    });
    const result = shape.safeParse(inner);
    if (!result.success) {
      faults.push(...sentences(result.error, ["launchers", name]));
      return { name, kind, settings: {}, targets: new Map() };
    }
    const { targets, ...settings } = result.data as { targets: Record<string, TargetSettings> };
    return { name, kind, settings, targets: new Map(Object.entries(targets)) };
  });
  if (faults.length > 0) throw refusal(file, faults);
  return launchers;
}

export function openLauncher(
  { kind, settings, targets }: LauncherConfig,
  log: (line: string) => void,
): Promise<Launcher> {
  return KINDS[kind].open({ settings, targets, log });
}

function read(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw refusal(file, [`line ${error.line}: ${error.message.split("\n")[0] ?? ""}`]);
  }
}

function sentences(error: z.ZodError, path: readonly PropertyKey[]): string[] {
  return error.issues.map((issue) => `${[...path, ...issue.path].map(String).join(".")}: ${issue.message}`);
}

function refusal(file: string, faults: readonly string[]): KernelBotError {
  return new KernelBotError("bad_request", `--launchers ${quote(file)}: ${faults.join("; ")}`);
}
