/** Grammar of Python in which strings that hold C++ or CUDA, as in kernels compiled from Python, are parsed as that. */
import { parseMixed } from "@lezer/common";
import { parser as cpp } from "@lezer/cpp";
import { parser as python } from "@lezer/python";

/** What only C++ and CUDA have: a directive, or a word of a declaration. */
const NATIVE = /^[ \t]*#[ \t]*(?:include|define|pragma)\b|__global__|__device__|\btemplate\s*<|extern\s+"C"/m;
/** Longest prefix and quotes of a string: `Rb"""`. */
const OPENING = /^[a-z]{0,2}("""|'''|["'])/i;

export const PYTHON = python.configure({
  wrap: parseMixed((node, input) => {
    if (node.name !== "String") return null;
    const text = input.read(node.from, node.to);
    const [opening, quotes = ""] = OPENING.exec(text) ?? [];
    if (opening === undefined || !NATIVE.test(text)) return null;
    const [from, to] = [node.from + opening.length, node.to - quotes.length];
    return from < to ? { parser: cpp, overlay: [{ from, to }] } : null;
  }),
});
