/**
 * Imports of Python sources: which modules a source imports, and the same source with relative imports. A published
 * kernel is imported under a name of its own, so the files next to it are found by relative imports only.
 */

/** A statement that imports, with its place in the source. */
interface ImportStatement {
  start: number;
  text: string;
}

/** Strings and comments: no statement begins there. */
const STRINGS_AND_COMMENTS =
  /("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*\1|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|#.*/g;

const FROM = /^from[ \t]+([A-Za-z_]\w*)(?=[.\s])/;

function importStatements(source: string): ImportStatement[] {
  const code = source.replaceAll(STRINGS_AND_COMMENTS, (text) => text.replaceAll(/[^\n]/g, " "));
  return [
    ...code.matchAll(/(?<=^[ \t]*|;[ \t]*|:[ \t]+)(?:from[ \t]+[A-Za-z_][\w.]*[ \t]+import\b|import[ \t]+[^\n;]+)/gm),
  ].map(({ index, 0: text }) => ({ start: index, text: text.trimEnd() }));
}

/** Splits `import a.b as c, d` into `a.b as c` and `d`. */
function importedNames(statement: string): string[] {
  return statement
    .replace(/^import[ \t]+/, "")
    .split(",")
    .map((name) => name.trim());
}

function topLevel(name: string): string {
  return /^\w*/.exec(name)?.[0] ?? "";
}

/** Returns the top-level names of the modules that a source imports; relative imports are left out. */
export function importedModules(source: string): Set<string> {
  const names = importStatements(source).flatMap(({ text }) => {
    const from = FROM.exec(text)?.[1];
    return from === undefined ? importedNames(text).map(topLevel) : [from];
  });
  return new Set(names.filter((name) => name !== ""));
}

/**
 * Returns a source whose imports of the modules next to it are relative.
 * @param modules Names of these modules: as the source imports them, and as they are called now.
 */
export function withRelativeImports(source: string, modules: ReadonlyMap<string, string>): string {
  let result = "";
  let end = 0;
  for (const { start, text } of importStatements(source)) {
    result += source.slice(end, start) + relative(text, modules);
    end = start + text.length;
  }
  return result + source.slice(end);
}

function relative(statement: string, modules: ReadonlyMap<string, string>): string {
  const from = FROM.exec(statement)?.[1];
  if (from !== undefined) {
    const module = modules.get(from);
    return module === undefined ? statement : statement.replace(FROM, `from .${module}`);
  }
  const names = importedNames(statement);
  if (!names.some((name) => modules.has(topLevel(name)))) return statement;
  return names
    .map((name) => {
      const [, module = "", as = ""] = /^(\w+)[ \t]*(as[ \t]+\w+)?$/.exec(name) ?? [];
      const now = modules.get(module);
      if (now === undefined) return `import ${name}`;
      return `from . import ${now} ${as !== "" ? as : now === module ? "" : `as ${module}`}`.trimEnd();
    })
    .join("; ");
}

/**
 * Returns the modules that a source imports directly or through others, among these texts by name.
 */
export function reachableModules(source: string, texts: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (text: string): void => {
    for (const name of importedModules(text)) {
      const next = texts.get(name);
      if (next === undefined || found.has(name)) continue;
      found.set(name, next);
      visit(next);
    }
  };
  visit(source);
  return found;
}

/** Public top-level modules of the standard library in every version of Python since 3.9. */
export const STANDARD_LIBRARY: ReadonlySet<string> = new Set(
  (
    "__future__ abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmath cmd code codecs " +
    "codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg cProfile csv ctypes " +
    "curses dataclasses datetime dbm decimal difflib dis doctest email ensurepip enum errno faulthandler fcntl filecmp fileinput " +
    "fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib " +
    "importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox marshal math mimetypes mmap " +
    "modulefinder multiprocessing netrc numbers operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib " +
    "poplib posix pprint profile pstats pty pwd py_compile pyclbr pydoc queue quopri random re readline reprlib resource " +
    "rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl " +
    "stat statistics string stringprep struct subprocess symtable sys sysconfig syslog tabnanny tarfile tempfile termios " +
    "textwrap threading time timeit token tokenize trace traceback tracemalloc tty turtle types typing unicodedata " +
    "unittest urllib uuid venv warnings wave weakref webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo"
  ).split(" "),
);
