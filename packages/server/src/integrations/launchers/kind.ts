/** Definition of a kind of launcher: its configuration schemas, and how one is opened. */
import type { z } from "zod";
import type { Launcher } from "./launcher.ts";
import type { TargetSettings } from "./settings.ts";

interface KindSpec<Settings extends z.ZodObject, Target extends z.ZodType<TargetSettings>> {
  /** Schema of the settings of the service. */
  settings: Settings;
  /** Schema of the settings of a target, which includes `TargetSettings`. */
  target: Target;
  open: (config: Opened<z.infer<Settings>, z.infer<Target>>) => Launcher | Promise<Launcher>;
  /**
   * For runners that prove their identity: returns the service's id of the launch; null if the proof is invalid.
   * @param audience Required audience of the proof: the base URL of this server.
   */
  verify?: (settings: z.infer<Settings>, proof: string, audience: string) => Promise<string | null>;
}

export interface Opened<Settings, Target> {
  settings: Settings;
  /** Settings by target name. */
  targets: ReadonlyMap<string, Target>;
  /** Logs one line. */
  log: (line: string) => void;
}

/** A kind with its type parameters erased. */
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
  // The values were parsed with these schemas, so the casts are safe.
  return {
    ...shapes,
    open: async (config) => open(config as Opened<z.infer<Settings>, z.infer<Target>>),
    verify: verify && ((settings, ...rest) => verify(settings as z.infer<Settings>, ...rest)),
  };
}

/**
 * Returns the settings of a target.
 * @throws Error when the configuration does not contain it, which the scaler excludes.
 */
export function targetOf<Target>(targets: ReadonlyMap<string, Target>, name: string): Target {
  const target = targets.get(name);
  if (target === undefined) throw new Error(`the launcher has no target ${name}`);
  return target;
}
