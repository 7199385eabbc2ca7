/**
 * Code editor: CodeMirror in a shadow root, where its styles are adopted style sheets, which the page's Content
 * Security Policy allows. Colours come from the page's custom properties, which the shadow root inherits.
 */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { Language, ReviewFinding } from "@kernelbot/core";
import { leaving, typingOver } from "./key-handling.ts";
import { grammarOf, indentOf } from "./languages.ts";
import { appearance } from "./theme.ts";

export interface Code {
  text: () => string;
  /** Replaces the whole text; Undo restores the old one. */
  replace: (text: string) => void;
  setLanguage: (language: Language | null) => Promise<void>;
  /** Marks findings of the review in the current text. */
  mark: (findings: readonly ReviewFinding[]) => void;
  focus: () => void;
  onChange: (changed: () => void) => void;
}

interface CodeOptions {
  text: string;
  label: string;
  /** Called when the keys of a mode are pressed. */
  run: (mode: "test" | "ranked") => void;
}

export function openCode(host: HTMLElement, { text, label, run }: CodeOptions): Code {
  const root = host.attachShadow({ mode: "open" });
  const grammar = new Compartment();
  let current: Language | null = null;
  let changed = (): void => undefined;
  const press = (mode: "test" | "ranked") => () => {
    run(mode);
    return true;
  };
  const state = EditorState.create({
    doc: text,
    extensions: [
      Prec.highest(
        keymap.of([
          { key: "Mod-Enter", run: press("test") },
          { key: "Mod-Shift-Enter", run: press("ranked") },
        ]),
      ),
      leaving,
      typingOver,
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      // Shows characters that could disguise the text as visible placeholders.
      highlightSpecialChars(),
      history(),
      drawSelection(),
      EditorState.allowMultipleSelections.of(true),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      autocompletion({ activateOnTyping: false }),
      highlightSelectionMatches(),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
      grammar.of([]),
      EditorView.contentAttributes.of({
        "aria-label": label,
        tabindex: "0",
        spellcheck: "false",
        autocapitalize: "off",
      }),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) changed();
      }),
      appearance,
    ],
  });
  const view = new EditorView({ state, root, parent: root as unknown as HTMLElement });

  async function setLanguage(language: Language | null): Promise<void> {
    current = language;
    view.dispatch({ effects: grammar.reconfigure(indentOf(language)) });
    const loaded = await grammarOf(language);
    // Another language may have been requested in the meantime.
    if (current === language) view.dispatch({ effects: grammar.reconfigure([loaded, indentOf(language)]) });
  }

  return {
    text: () => view.state.doc.toString(),
    replace(text) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: 0 },
        annotations: isolateHistory.of("full"),
      });
    },
    setLanguage,
    mark(findings) {
      const { doc } = view.state;
      const diagnostics = findings
        .filter(({ line }) => line <= doc.lines)
        .map(({ line, column, severity, rule, sentence }) => {
          const { from, to } = doc.line(line);
          const start = Math.min(from + column - 1, to);
          return { from: start, to, severity: SEVERITIES[severity], source: rule, message: sentence };
        });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    focus: () => view.focus(),
    onChange: (callback) => void (changed = callback),
  };
}

/** Findings do not affect the verdict, so none is shown as an error. */
const SEVERITIES = { info: "info", warning: "warning", suspicious: "warning" } as const;
