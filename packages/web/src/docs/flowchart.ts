/**
 * Draws Mermaid flowcharts of the documentation as SVG, laid out by dagre, so that they need no script in the browser.
 * Supports what `npm run generate:architecture` writes: `flowchart TD`, then lines `a` and `a --> b`.
 */
import { Graph, layout } from "@dagrejs/dagre";

interface Point {
  x: number;
  y: number;
}

const NODE_HEIGHT = 30;
/** Width of a letter of the monospaced label, and of the padding on both sides, in pixels. */
const LETTER_WIDTH = 8.5;
const PADDING = 20;
const ARROW_LENGTH = 7;
/** Angle between an arrow's line and each side of its head. */
const ARROW_ANGLE = 0.45;

/** Returns a flowchart as HTML; null if the text has lines of another form. */
export function flowchart(text: string): string | null {
  const [first, ...lines] = text.trim().split("\n");
  const statements = lines.map((line) => /^\s*(\w+)(?:\s*-->\s*(\w+))?\s*$/.exec(line)?.slice(1));
  if (first !== "flowchart TD" || statements.includes(undefined)) return null;
  const graph = new Graph().setGraph({ nodesep: 18, ranksep: 34, marginx: 2, marginy: 2 });
  const names = new Set<string>();
  const arrows: [from: string, to: string][] = [];
  for (const [from, to] of statements as [from: string, to?: string][]) {
    for (const name of [from, to]) if (name !== undefined) names.add(name);
    if (to !== undefined) arrows.push([from, to]);
  }
  for (const name of names) {
    graph.setNode(name, { width: Math.ceil(name.length * LETTER_WIDTH + PADDING), height: NODE_HEIGHT });
  }
  for (const [from, to] of arrows) graph.setEdge(from, to, {});
  layout(graph);
  const { width, height } = graph.graph();
  return `<div class="scroll" tabindex="0">
    <svg class="flowchart" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
      <title>${arrows.map(([from, to]) => `${from} → ${to}`).join(", ")}</title>
      ${arrows.map(([from, to]) => arrow(graph.edge(from, to).points)).join("")}
      ${Array.from(names, (name) => node(name, graph.node(name))).join("")}
    </svg>
  </div>`;
}

/** Returns a labelled box. A name has only letters, digits and underscores, so that nothing needs escaping. */
function node(name: string, { x, y, width }: Point & { width: number }): string {
  const corner = `x="${x - width / 2}" y="${y - NODE_HEIGHT / 2}"`;
  return `<rect ${corner} width="${width}" height="${NODE_HEIGHT}" rx="4" /><text x="${x}" y="${y}">${name}</text>`;
}

/** Returns a line through the points, with a head at its end. */
function arrow(points: readonly Point[]): string {
  const [tip = { x: 0, y: 0 }, before = tip] = points.toReversed();
  const back = Math.atan2(before.y - tip.y, before.x - tip.x);
  const [left, right] = [back - ARROW_ANGLE, back + ARROW_ANGLE].map((angle) =>
    positionOf({ x: tip.x + ARROW_LENGTH * Math.cos(angle), y: tip.y + ARROW_LENGTH * Math.sin(angle) }),
  );
  return `<path d="M ${points.map(positionOf).join(" L ")} M ${left} L ${positionOf(tip)} L ${right}" />`;
}

function positionOf({ x, y }: Point): string {
  return `${Math.round(x)} ${Math.round(y)}`;
}
