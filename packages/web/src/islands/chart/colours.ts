import { TONES, type ChartTone } from "../../chart/data.ts";

export interface Colours {
  tones: Record<ChartTone, string>;
  text: string;
  grid: string;
  font: string;
}

/** Returns the page's colours for a canvas. Custom properties are resolved through an element that uses them. */
export function colours(figure: HTMLElement): Colours {
  const probe = document.createElement("span");
  figure.append(probe);
  const colour = (value: string): string => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const tones = TONES.map((tone) => {
    probe.className = `tone-${tone}`;
    return [tone, colour("var(--tone)")] as const;
  });
  const found = {
    tones: Object.fromEntries(tones) as Record<ChartTone, string>,
    text: colour("var(--quiet)"),
    grid: colour("var(--line)"),
    font: `12px ${getComputedStyle(figure).fontFamily}`,
  };
  probe.remove();
  return found;
}
