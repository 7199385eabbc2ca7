/** Examples of pages, and what an optional feature adds to the showcase. */
import type { Stage } from "./perform.ts";

/** Servers for the pages: one with the showcase, an empty one, and one with a missing table. */
export type World = "full" | "empty" | "broken";

/** Role in which a page is viewed. */
export type Visitor = "stranger" | "newcomer" | "participant" | "organiser" | "moderator" | "administrator";

export interface Example<Shown> {
  /** Name of the screenshot. */
  name: string;
  /** Route pattern of the app; null when no route matches. */
  route: string | null;
  path: (shown: Shown) => string;
  visitor: Visitor;
  /** Server; `full` by default. */
  world?: World;
  /** Text in the page's title. */
  title: string | RegExp;
  /** HTTP status; 200 by default. */
  status?: number;
  /** Additional viewport width, in pixels. */
  width?: number;
}

export interface FeatureShowcase {
  /** Stores the data of the feature. Returns values in the paths of its pages, by names that no other feature has. */
  fill: (stage: Stage, now: Date) => Promise<FeatureValues>;
  pages: readonly Example<{ features: FeatureValues }>[];
}

export type FeatureValues = Readonly<Record<string, string>>;
