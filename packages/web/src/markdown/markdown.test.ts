import { describe, expect, test } from "vitest";
import { prose } from "./markdown.ts";

/** Returns rendered Markdown without its enclosing element. */
async function shown(text: string, headingLevel: 2 | 3 = 2): Promise<string> {
  const whole = (await prose(text, { headingLevel })).toString();
  return whole
    .replace(/^<div class="prose">/, "")
    .replace(/<\/div>$/, "")
    .trim();
}

describe("Markdown", () => {
  test("has its headings below those of the page", async () => {
    expect(await shown("# One\n\n###### Six", 3)).toBe("<h3>One</h3><h6>Six</h6>");
  });

  test("highlights code by the mark of its block, and leaves the rest plain", async () => {
    expect(await shown("```python\nreturn 1\n```")).toBe(
      '<pre class="code" tabindex="0"><code><span class="tok-keyword">return</span> <span class="tok-number">1</span></code></pre>',
    );
    expect(await shown("    for all i < n")).toBe('<pre class="code" tabindex="0"><code>for all i &lt; n</code></pre>');
  });

  test("has tables that scroll by themselves, whose numbers may stand to the right", async () => {
    expect((await shown("|a|b|\n|-|-:|\n|1|2|")).replace(/\s*\n\s*/g, "")).toBe(
      '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th class="right">b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td class="right">2</td></tr></tbody></table></div>',
    );
  });

  test("leads where the web leads, and tells foreign servers nothing", async () => {
    expect(await shown("[a](/boards/x) [b](https://example.com/?a=1&b=2) [c](//example.com) [d](#e)")).toBe(
      '<p><a href="/boards/x">a</a> ' +
        '<a href="https://example.com/?a=1&amp;b=2" rel="noopener nofollow ugc">b</a> ' +
        '<a href="//example.com" rel="noopener nofollow ugc">c</a> <a href="#e">d</a></p>',
    );
  });

  test("shows a picture as a link to it", async () => {
    expect(await shown("![a plot](https://example.com/x.png)")).toBe(
      '<p><a href="https://example.com/x.png" rel="noopener nofollow ugc">a plot</a></p>',
    );
    expect(await shown("[![a plot](https://example.com/x.png)](/here)")).toBe('<p><a href="/here">a plot</a></p>');
  });
});

describe("a formula", () => {
  test.each(["$x^2$", String.raw`\(x^2\)`])("stands in its line: %s", async (text) => {
    expect(await shown(`so ${text}.`)).toMatch(
      /^<p>so <math xmlns="[^"]+"><semantics><mrow><msup><mi>x<\/mi><mn>2<\/mn><\/msup><\/mrow>.*<\/math>\.<\/p>$/,
    );
  });

  test.each(["$$\nx^2\n$$", String.raw`\[ x^2 \]`])("stands by itself: %j", async (text) => {
    expect(await shown(text)).toMatch(/^<p class="formula" tabindex="0"><math [^>]*display="block">.*<\/math><\/p>$/);
  });

  test("has letters of other kinds as characters, which every browser shows", async () => {
    const letters = await shown(String.raw`$\mathbb{R}^2 \mathbf{aZ0} \mathcal{OL} \mathrm{x}$`);
    for (const character of ["ℝ", "𝐚", "𝐙", "𝟎", "𝒪", "ℒ"]) expect(letters).toContain(character);
    expect(letters).not.toMatch(/mathvariant="(?!normal)/);
  });

  test("that has a mistake is shown as it was written, and so are prices", async () => {
    expect(await shown(String.raw`$\frac{a$`)).toBe(String.raw`<p><code class="tex">\frac{a</code></p>`);
    expect(await shown("from $5 to $10")).toBe("<p>from $5 to $10</p>");
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
  ])("brings neither scripts nor styles nor pictures: %s", async (text) => {
    const marked = await shown(text);
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
  ])("of nothing but %j ends up on the page", async (part) => {
    expect((await shown(part.repeat(LENGTH / part.length))).length).toBeGreaterThan(0);
  });

  test("is shown as it was written where it is too long", async () => {
    expect(await shown("*a* ".repeat(30_000))).toMatch(/^<pre class="message">\*a\* /);
  });
});
