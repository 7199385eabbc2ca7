/** A kind of launcher: what its configuration says, and how one is opened. */
import type { z } from "zod";
import type { Launcher } from "./launcher.ts";
import type { TargetSettings } from "./settings.ts";

export interface KindSpec<Settings extends z.ZodObject, Target extends z.ZodType<TargetSettings>> {
  /** What is told of the service as a whole. */
  settings: Settings;
  /** What is told of each target, beside `TargetSettings`. */
  target: Target;
  open: (config: Opened<z.infer<Settings>, z.infer<Target>>) => Launcher | Promise<Launcher>;
  /**
   * Where runners prove what they are: what the service calls the launch by that a proof speaks for; null where it is
   * none. @param audience Whom the proof must be meant for: the address of this server.
   */
  verify?: (settings: z.infer<Settings>, proof: string, audience: string) => Promise<string | null>;
}

export interface Opened<Settings, Target> {
  settings: Settings;
  /** By their names. */
  targets: ReadonlyMap<string, Target>;
  /** Hears what happens, line by line. */
  log: (line: string) => void;
}

/** A kind whose particular shapes no longer matter. */
export interface Kind {
  settings: z.ZodObject;
  target: z.ZodType<TargetSettings>;
  open(config: Opened<unknown, TargetSettings>): Promise<Launcher>;
  verify: ((settings: unknown, proof: string, audience: string) => Promise<string | null>) | undefined;
}

export function defineKind<Settings extends z.ZodObject, Target extends z.ZodType<TargetSettings>>({
  open,
  verify,
  ...shapes
}: KindSpec<Settings, Target>): Kind {
  // What comes in was read by these same shapes.
  return {
    ...shapes,
    open: async (config) => open(config as Opened<z.infer<Settings>, z.infer<Target>>),
    verify: verify && ((settings, ...rest) => verify(settings as z.infer<Settings>, ...rest)),
  };
}

/** What a target is told; @throws where it is not of the configuration, which the scaler never asks for. */
export function targetOf<Target>(targets: ReadonlyMap<string, Target>, name: string): Target {
  const target = targets.get(name);
  if (target === undefined) throw new Error(`the launcher serves no target ${name}`);
  return target;
}
