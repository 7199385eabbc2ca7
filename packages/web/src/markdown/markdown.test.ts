import { describe, expect, test } from "vitest";
import { prose } from "./markdown.ts";

/** Returns rendered Markdown without its enclosing element. */
async function render(text: string, headingLevel: 2 | 3 = 2): Promise<string> {
  const whole = (await prose(text, { headingLevel })).toString();
  return whole
    .replace(/^<div class="prose">/, "")
    .replace(/<\/div>$/, "")
    .trim();
}

describe("Markdown", () => {
  test("has headings below those of the page", async () => {
    expect(await render("# One\n\n###### Six", 3)).toBe("<h3>One</h3><h6>Six</h6>");
  });

  test("highlights code blocks with a known language, and leaves others plain", async () => {
    expect(await render("```python\nreturn 1\n```")).toBe(
      '<pre class="code" tabindex="0"><code><span class="tok-keyword">return</span> <span class="tok-number">1</span></code></pre>',
    );
    expect(await render("    for all i < n")).toBe(
      '<pre class="code" tabindex="0"><code>for all i &lt; n</code></pre>',
    );
  });

  test("wraps tables in a scroll container, with right-aligned columns", async () => {
    expect((await render("|a|b|\n|-|-:|\n|1|2|")).replace(/\s*\n\s*/g, "")).toBe(
      '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th class="right">b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td class="right">2</td></tr></tbody></table></div>',
    );
  });

  test("marks links to other sites with noopener and nofollow", async () => {
    expect(await render("[a](/boards/x) [b](https://example.com/?a=1&b=2) [c](//example.com) [d](#e)")).toBe(
      '<p><a href="/boards/x">a</a> ' +
        '<a href="https://example.com/?a=1&amp;b=2" rel="noopener nofollow ugc">b</a> ' +
        '<a href="//example.com" rel="noopener nofollow ugc">c</a> <a href="#e">d</a></p>',
    );
  });

  test("shows an image as a link to it", async () => {
    expect(await render("![a plot](https://example.com/x.png)")).toBe(
      '<p><a href="https://example.com/x.png" rel="noopener nofollow ugc">a plot</a></p>',
    );
    expect(await render("[![a plot](https://example.com/x.png)](/here)")).toBe('<p><a href="/here">a plot</a></p>');
  });
});

describe("a formula", () => {
  test.each(["$x^2$", String.raw`\(x^2\)`])("is inline: %s", async (text) => {
    expect(await render(`so ${text}.`)).toMatch(
      /^<p>so <math xmlns="[^"]+"><semantics><mrow><msup><mi>x<\/mi><mn>2<\/mn><\/msup><\/mrow>.*<\/math>\.<\/p>$/,
    );
  });

  test.each(["$$\nx^2\n$$", String.raw`\[ x^2 \]`])("is a block: %j", async (text) => {
    expect(await render(text)).toMatch(/^<p class="formula" tabindex="0"><math [^>]*display="block">.*<\/math><\/p>$/);
  });

  test("has styled letters as Unicode characters, which every browser shows", async () => {
    const letters = await render(String.raw`$\mathbb{R}^2 \mathbf{aZ0} \mathcal{OL} \mathrm{x}$`);
    for (const character of ["ℝ", "𝐚", "𝐙", "𝟎", "𝒪", "ℒ"]) expect(letters).toContain(character);
    expect(letters).not.toMatch(/mathvariant="(?!normal)/);
  });

  test("that is invalid is shown as source, and prices are not formulas", async () => {
    expect(await render(String.raw`$\frac{a$`)).toBe(String.raw`<p><code class="tex">\frac{a</code></p>`);
    expect(await render("from $5 to $10")).toBe("<p>from $5 to $10</p>");
  });
});

describe("a hostile text", () => {
  test.each([
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](vbscript:x) <javascript:alert(1)>",
    '[a](https://example.com/" onclick="alert(1)) ![" onerror="alert(1)](x)',
    "[a]: javascript:alert(1)\n\n[a]",
    '```"><script>alert(1)</script>\n</code></pre><script>\n```',
    String.raw`$\href{javascript:alert(1)}{x} \url{javascript:alert(1)} \includegraphics{https://example.com/x.png}$`,
    String.raw`$\htmlStyle{color:red}{x} \htmlClass{a}{x} \htmlId{main}{x} \htmlData{a=b}{x}$`,
    String.raw`$\text{</math><script>alert(1)</script>} \color{red;x:y}{x}$ $</annotation><img src=x>$`,
    "|a|\n|:-:|\n|b|\n",
  ])("cannot add scripts, styles or images: %s", async (text) => {
    const marked = await render(text);
    expect(marked).not.toMatch(
      /<(?:script|img|iframe|mglyph)|<[^>]* (?:style|id|on\w+)=|="(?:javascript|data|vbscript):/i,
    );
  });

  const LENGTH = 40_000;
  test.each([
    "[",
    "*",
    "$",
    "$a",
    "\\(",
    "\\[\n",
    "`",
    "![a](",
    "> - ",
    "|a",
    "$\\frac{a}{b}$ ",
    "$x$ ```c\nf(\n```\n",
  ])("of repeated %j is rendered", async (part) => {
    expect((await render(part.repeat(LENGTH / part.length))).length).toBeGreaterThan(0);
  });

  test("is shown as source if it is too long", async () => {
    expect(await render("*a* ".repeat(30_000))).toMatch(/^<pre class="message">\*a\* /);
  });
});
