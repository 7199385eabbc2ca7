import { expect, test } from "vitest";
import { renderDocument } from "./document.ts";
import { flowchart } from "./flowchart.ts";

test("a flowchart is drawn from top to bottom, with an arrow for each line", () => {
  const svg = flowchart("flowchart TD\n  api --> core\n  cli --> api\n  alone\n") ?? "";
  const heightOf = (name: string) => Number(new RegExp(`y="([\\d.]+)">${name}</text>`).exec(svg)?.[1]);
  expect(heightOf("cli")).toBeLessThan(heightOf("api"));
  expect(heightOf("api")).toBeLessThan(heightOf("core"));
  expect(heightOf("alone")).toBeGreaterThan(0);
  expect(svg.match(/<path/g)).toHaveLength(2);
  expect(svg).toContain("<title>api → core, cli → api</title>");
});

test.each(["sequenceDiagram\n  a --> b", "flowchart TD\n  a -.-> b", 'flowchart TD\n  a["<b>"]'])(
  "other Mermaid text is not drawn: %j",
  (text) => expect(flowchart(text)).toBeNull(),
);

test("a page shows a flowchart as a picture, and other Mermaid text as code", async () => {
  const page = await renderDocument(
    "page.md",
    "# Page\n\n<!-- generated: chart -->\n\n```mermaid\nflowchart TD\n  a --> b\n```\n\n```mermaid\npie\n```\n",
  );
  expect(page.html).toContain("<svg class=");
  expect(page.html).toMatch(/<pre[^]*pie/);
  expect(page.html).not.toContain("generated");
});
