/** What the editor does with keys besides CodeMirror's own. */
import { EditorView, keymap } from "@codemirror/view";

/** Tab indents, so a keyboard needs a way out: after Escape, Tab leaves the editor, until something is typed in it. */
export const leaving = [
  keymap.of([
    {
      key: "Escape",
      run(view) {
        // By itself the editor lets Tab pass for two seconds, which is short for some hands.
        view.setTabFocusMode(true);
        // Others who listen for Escape close what they have open.
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
 * Typing over a selection. Left to itself, Chromium keeps the colour of what was selected in a style attribute, which the
 * page's policy refuses with a complaint.
 */
export const typingOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data: text, inputType, isComposing, cancelable } = event;
    // The editor may not have heard yet of what is selected, and other browsers tell it otherwise and need none of this.
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

/** The selection in a shadow root, by a function that Chromium alone has. */
function selectionOf(root: DocumentOrShadowRoot): Selection | null {
  return (root as { getSelection?: () => Selection | null }).getSelection?.() ?? null;
}
