/** Key handling of the editor in addition to CodeMirror's own. */
import { EditorView, keymap } from "@codemirror/view";

/**
 * Lets the keyboard leave the editor, in which Tab indents: after Escape, Tab leaves the editor until text is typed or
 * selected.
 */
export const leaving = [
  keymap.of([
    {
      key: "Escape",
      run(view) {
        // By default the editor lets Tab pass for two seconds, which is too short for some users.
        view.setTabFocusMode(true);
        // Other listeners for Escape close what they have open.
        return false;
      },
    },
  ]),
  EditorView.updateListener.of(({ view, docChanged, selectionSet }) => {
    if (docChanged || selectionSet) view.setTabFocusMode(false);
  }),
  EditorView.domEventHandlers({ blur: (_, view) => view.setTabFocusMode(false) }),
];

/**
 * Handles typing over a selection. By default, Chromium keeps the colour of the selected text in a style attribute,
 * which the page's Content Security Policy blocks and reports.
 */
export const typingOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data: text, inputType, isComposing, cancelable } = event;
    // The editor's own selection may be outdated here. Other browsers report selections differently and need no
    // handling.
    const { anchorNode, anchorOffset, focusNode, focusOffset } = selectionOf(view.root) ?? {};
    if (inputType !== "insertText" || text === null || isComposing || !cancelable) return false;
    if (!anchorNode || !focusNode) return false;
    const ends = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)];
    const [from, to] = [Math.min(...ends), Math.max(...ends)];
    const { state } = view;
    if (from === to) return false;
    const one = { changes: { from, to, insert: text }, selection: { anchor: from + text.length } };
    const replaced = state.selection.ranges.length > 1 ? state.replaceSelection(text) : one;
    const typed = () => state.update(replaced, { userEvent: "input.type", scrollIntoView: true });
    const handlers = state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, text, typed))) view.dispatch(typed());
    return true;
  },
});

/** Returns the selection in a shadow root, with a function that only Chromium has; null elsewhere. */
function selectionOf(root: DocumentOrShadowRoot): Selection | null {
  return (root as { getSelection?: () => Selection | null }).getSelection?.() ?? null;
}
