import { describe, expect, test } from "vitest";
import { codeBlock, codeLanguage, highlightLines, numberedCode } from "./highlight.ts";

const PYTHON = 'def kernel(x: int) -> None:  # doubles\n    return x * 2 + len("a<b")\n';

async function lines(code: string, language: "python" | "cpp" | null) {
  return (await highlightLines(code, language)).map(String);
}

/** Returns the text that a reader of the HTML sees. */
function textOf(fragment: string): string {
  const plain = fragment
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">");
  return plain
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&");
}

describe("code", () => {
  test("has a span with a class for each recognised token", async () => {
    expect(await lines(PYTHON, "python")).toEqual([
      '<span class="tok-keyword">def</span> <span class="tok-name">kernel</span>(x: int) -&gt; <span class="tok-keyword">None</span>:  <span class="tok-comment"># doubles</span>',
      '    <span class="tok-keyword">return</span> x * <span class="tok-number">2</span> + len(<span class="tok-string">&quot;a&lt;b&quot;</span>)',
    ]);
    expect((await lines("#include <x.h>\nstruct A { float b; };", "cpp")).join("\n")).toBe(
      '<span class="tok-meta">#include</span> <span class="tok-string">&lt;x.h&gt;</span>\n' +
        '<span class="tok-keyword">struct</span> <span class="tok-name">A</span> { <span class="tok-name">float</span> b; };',
    );
  });

  test("splits a multi-line string into one span per line", async () => {
    expect(await lines('"""a\nb"""', "python")).toEqual([
      '<span class="tok-string">&quot;&quot;&quot;a</span>',
      '<span class="tok-string">b&quot;&quot;&quot;</span>',
    ]);
  });

  test("in Python, has the tokens of C++ in strings that hold C++ or CUDA, and only there", async () => {
    const kernel = ['S = r"""', "#include <x.h>", "__global__ void f(float *a) { return; }", '"""', 'n = "return"'];
    const found = await lines(kernel.join("\n"), "python");
    expect(found[1]).toBe('<span class="tok-meta">#include</span> <span class="tok-string">&lt;x.h&gt;</span>');
    expect(found[2]).toContain('<span class="tok-keyword">return</span>');
    expect(found[4]).toBe('n = <span class="tok-string">&quot;return&quot;</span>');
    expect(textOf(found.join("\n"))).toBe(kernel.join("\n"));
    // One string after another, one without an end, and one with expressions.
    for (const text of ['a = "#include <x>" "b"', "a = '''\n#include <x>\nint b;", 'a = f"#define {b}"'])
      expect(textOf((await lines(text, "python")).join("\n"))).toBe(text);
  });

  test("has the language of its file extension or Markdown info string", () => {
    expect(["a.py", "b.CU", "c.cuh", "d.hpp", "cuda", "Python", "e.rs", "__proto__", ""].map(codeLanguage)).toEqual([
      ...["python", "cpp", "cpp", "cpp", "cpp", "python"],
      ...[null, null, null],
    ]);
  });

  test("counts every kind of line end as one, and none after the last line", async () => {
    expect(await lines("a\r\nb\rc\n", null)).toEqual(["a", "b", "c"]);
    expect(await lines("a\n\n", "python")).toEqual(["a", ""]);
    expect(await lines("", "python")).toEqual([""]);
  });

  test.each([null, "python", "cpp"] as const)("is escaped, as %s", async (language) => {
    const hostile = `x = "</code><script>alert(1)</script>" <img src=x onerror='y'> &amp; \u0000 # </pre>\n// <b>`;
    const got = (await lines(hostile, language)).join("\n");
    expect(got).not.toMatch(/<(?!span class="tok-[a-z]+">|\/span>)/);
    expect(textOf(got)).toBe(hostile);
  });

  test.each([
    ["brackets in brackets", "(".repeat(20_000) + ")".repeat(20_000)],
    ["ambiguous templates and comparisons", "a<b<c>(".repeat(10_000)],
    ["a text on which the Python grammar throws", 'R"x('.repeat(7_500)],
    ["1 MB of code", "y = f(1)  # z\n".repeat(70_000)],
    ["1 MB on one line", "a+1,".repeat(250_000)],
    ["nothing but line ends", "\n".repeat(1_000_000)],
  ])("is complete, with or without highlighting, for %s", async (_, code) => {
    for (const language of ["python", "cpp"] as const) {
      expect(textOf((await codeBlock(code, language)).toString()) === code.replace(/\n$/, "")).toBe(true);
    }
  });
});

describe("numbered code", () => {
  test("has a link for each line, outside the tab order", async () => {
    const block = (await numberedCode("a\nb", null)).toString();
    expect(block).toBe(
      '<pre class="code numbered" tabindex="0"><code>' +
        '<span id="L1"><a href="#L1" tabindex="-1" aria-hidden="true"></a>a\n</span>' +
        '<span id="L2"><a href="#L2" tabindex="-1" aria-hidden="true"></a>b\n</span></code></pre>',
    );
  });

  test("has no line numbers if there are too many lines", async () => {
    expect((await numberedCode("\n".repeat(1_000_000), null)).toString()).not.toContain("#L1");
  });
});
