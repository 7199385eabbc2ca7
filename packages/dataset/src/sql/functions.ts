import type { SqlPrimitive, UserDefinedFunction } from "squirreling";
import { like } from "./like.ts";

function ofTexts(holds: (text: string, other: string) => boolean): UserDefinedFunction {
  return {
    apply: (text: SqlPrimitive, other: SqlPrimitive) =>
      typeof text === "string" && typeof other === "string" ? holds(text, other) : null,
    arguments: { min: 2, max: 2, signature: "text, text" },
  };
}

/** Functions added to the engine's own, named as in DuckDB. LIKE is rewritten to one of them. */
export const FUNCTIONS: Record<string, UserDefinedFunction> = {
  CONTAINS: ofTexts((text, part) => text.includes(part)),
  STARTS_WITH: ofTexts((text, part) => text.startsWith(part)),
  ENDS_WITH: ofTexts((text, part) => text.endsWith(part)),
  LIKE_TEXT: ofTexts(like),
};
