/** CSS classes of code, shared by the server's highlighter and the editor. `style/code.css` has their colours. */
import { tagHighlighter, tags } from "@lezer/highlight";

export const codeClasses = tagHighlighter([
  { tag: [tags.comment, tags.docString], class: "tok-comment" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.self, tags.bool, tags.null], class: "tok-keyword" },
  { tag: [tags.string, tags.regexp, tags.character], class: "tok-string" },
  { tag: tags.number, class: "tok-number" },
  {
    tag: [
      tags.typeName,
      tags.className,
      tags.namespace,
      tags.function(tags.definition(tags.variableName)),
      tags.function(tags.definition(tags.propertyName)),
    ],
    class: "tok-name",
  },
  { tag: [tags.meta, tags.processingInstruction, tags.macroName], class: "tok-meta" },
]);
