/** Kinds of launchers, by their name in the configuration. */
import type { LauncherKind } from "@kernelbot/core";
import { github } from "./github.ts";
import type { Kind } from "./kind.ts";
import { kubernetes } from "./kubernetes.ts";
import { local } from "./local-process.ts";
import { modal } from "./modal.ts";
import { slurm } from "./slurm.ts";

export const KINDS: Record<LauncherKind, Kind> = { local, github, kubernetes, slurm, modal };
