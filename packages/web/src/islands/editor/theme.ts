/** Theme of the code editor, based on the page's custom properties, which switch between light and dark. */
import { syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { codeClasses } from "../../code/classes.ts";

const layout = EditorView.theme({
  "&": {
    height: "var(--editor-height)",
    color: "var(--ink)",
    backgroundColor: "var(--paper)",
    border: "1px solid var(--field)",
    borderRadius: "var(--round)",
    fontSize: "var(--t-small)",
  },
  "&.cm-focused": { outline: "2px solid var(--link)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: "var(--s2) 0" },
  ".cm-line": { padding: "0 var(--s3) 0 var(--s2)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--quiet)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 var(--s2) 0 var(--s3)", fontVariantNumeric: "tabular-nums" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--shade) 70%, transparent)" },
  ".cm-activeLineGutter": { color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--link) 22%, transparent)",
  },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--care) 18%, transparent)" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--care) 38%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--good) 22%, transparent)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "color-mix(in srgb, var(--bad) 22%, transparent)" },
  ".cm-panels": { backgroundColor: "var(--shade)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-panel": { fontFamily: "var(--sans)", padding: "var(--s2)" },
  ".cm-textfield, .cm-button": {
    font: "inherit",
    color: "inherit",
    backgroundColor: "var(--paper)",
    backgroundImage: "none",
    border: "1px solid var(--field)",
    borderRadius: "var(--round)",
  },
  ".cm-tooltip": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--field)" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  // The library draws underlines with images in its style, which the page's Content Security Policy blocks.
  ".cm-lintRange": { backgroundImage: "none !important", textDecoration: "underline wavy", paddingBottom: "0" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--care)" },
  ".cm-lintRange-error": { textDecorationColor: "var(--bad)" },
  ".cm-lintRange-info": { textDecorationColor: "var(--quiet)" },
  ".tok-keyword": { color: "var(--code-keyword)" },
  ".tok-string": { color: "var(--code-string)" },
  ".tok-number": { color: "var(--code-number)" },
  ".tok-name": { color: "var(--code-name)" },
  ".tok-comment, .tok-meta": { color: "var(--code-comment)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", borderLeftColor: "var(--care)" },
});

export const appearance: Extension = [layout, syntaxHighlighting(codeClasses)];
