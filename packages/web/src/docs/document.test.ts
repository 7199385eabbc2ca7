import { describe, expect, test } from "vitest";
import { renderDocument } from "./document.ts";

/** Folder of the documentation of a feature, `motd`. */
const FOLDER = "features/motd/docs";
const render = (text: string) => renderDocument("docs/guides/run-a-server.md", text);

describe("a page of the documentation", () => {
  test("has a title, a summary, and sections with their text", async () => {
    const text =
      "# Run a server\n\n*How-to guide, for `operators`.*\n\nFirst.\n\n## One *server*\n\n- a\n- b\n\n```\nnpm start\n```\n";
    expect(await render(text)).toMatchObject({
      path: "guides/run-a-server",
      feature: null,
      title: "Run a server",
      summary: "How-to guide, for operators.",
      sections: [
        { id: "", title: "Run a server", level: 1, text: "How-to guide, for operators. First." },
        { id: "one-server", title: "One server", level: 2, text: "a b npm start" },
      ],
    });
  });

  test("has anchors at its headings, as GitHub names them", async () => {
    const { html, sections } = await render("# A\n\n## `task.yml`: the file\n\n### Again\n\n### Again\n");
    expect(html).toContain(
      '<h2 id="taskyml-the-file"><a class="anchor" href="#taskyml-the-file"><code>task.yml</code>: the file</a></h2>',
    );
    expect(sections.map(({ id }) => id)).toEqual(["", "taskyml-the-file", "again", "again-1"]);
    expect(html).toContain("<h1>A</h1>");
  });

  test.each([
    ["scale-a-server.md", "/docs/guides/scale-a-server"],
    ["../explanation/judging.md#the-clock", "/docs/explanation/judging#the-clock"],
    ["../adr/README.md", "/docs/adr"],
    ["../reference/results.schema.json", "/docs/reference/results.schema.json"],
    ["#logs", "#logs"],
    ["https://example.com/a.md", "https://example.com/a.md"],
    ["/queue", "/queue"],
  ])("links to the page of %s", async (link, url) => {
    expect((await render(`# A\n\n[x](${link})`)).html).toContain(`<a href="${url}"`);
  });

  test.each([
    ["read-a-message.md", "/docs/guides/read-a-message"],
    ["../../../news/docs/guides/news.md#today", "/docs/guides/news#today"],
    ["../../../../docs/guides/scale-a-server.md", "/docs/guides/scale-a-server"],
  ])("of an optional feature has a path like others, and links to the page of %s", async (link, url) => {
    const page = await renderDocument(`${FOLDER}/guides/write-a-message.md`, `# A\n\n[x](${link})`);
    expect(page).toMatchObject({ path: "guides/write-a-message", feature: "motd" });
    expect(page.html).toContain(`<a href="${url}"`);
  });

  test("names files outside of the documentation without a link", async () => {
    const { html } = await render(
      "# A\n\nThe [template](../../packages/cli/prompt.md), and [this](scale-a-server.md).",
    );
    expect(html).toContain('<p>The template, and <a href="/docs/guides/scale-a-server">this</a>.</p>');
  });

  test("shows its images", async () => {
    expect((await render("# A\n\n![a board](../images/board.png)")).html).toContain(
      '<img src="/docs/images/board.png" alt="a board" loading="lazy" />',
    );
  });

  test("links an image to its file", async () => {
    expect((await render("# A\n\n[![a board](../images/board.svg)](../images/board.svg)")).html).toContain(
      '<a href="/docs/images/board.svg"><img src="/docs/images/board.svg" alt="a board" loading="lazy" /></a>',
    );
  });

  test("shows no comments", async () => {
    expect((await render("# A\n\n<!-- generated: table -->\n\nText.")).html).not.toContain("generated");
  });

  test("shows markup as text", async () => {
    expect((await render("# A\n\n<script>alert(1)</script>")).html).toContain("&lt;script&gt;");
  });

  test("needs a title, and has one", async () => {
    await expect(render("Text.")).rejects.toThrow("docs/guides/run-a-server.md must begin with a heading of level 1");
    const { html, sections } = await render("# A\n\n# B");
    expect(html).toContain('<h1>A</h1><h2 id="b"><a class="anchor" href="#b">B</a></h2>');
    expect(sections).toMatchObject([{ level: 1 }, { id: "b", level: 2 }]);
  });
});
