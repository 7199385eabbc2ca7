/** Fake git objects, as GitHub's API returns them: commits, trees, and blobs named by their hash. */
import { createHash } from "node:crypto";

/** Files of a commit by path; `link` is a symbolic link. */
export type Files = Record<string, string | Uint8Array | { link: string }>;

interface Entry {
  path: string;
  mode: string;
  type: "blob" | "tree";
  sha: string;
  size?: number;
}

interface FakeGit {
  /** Creates a commit; the same files committed twice are two commits. @returns the commit's hash. */
  commit(files: Files): string;
  filesOf(commit: string): Files;
  tree(sha: string): Entry[] | undefined;
  blob(sha: string): Buffer | undefined;
}

export function fakeGit(): FakeGit {
  const commits = new Map<string, Files>();
  const trees = new Map<string, Entry[]>();
  const blobs = new Map<string, Buffer>();

  function blobOf(path: string, content: Files[string]): Entry {
    const isLink = typeof content === "object" && "link" in content;
    const bytes = Buffer.from(isLink ? content.link : content);
    const sha = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
    blobs.set(sha, bytes);
    return { path, mode: isLink ? "120000" : "100644", type: "blob", sha, size: bytes.length };
  }

  function treeOf(files: Files): string {
    const folders = new Map<string, Files>();
    const entries: Entry[] = [];
    for (const [path, content] of Object.entries(files)) {
      const [first = "", ...rest] = path.split("/");
      if (rest.length === 0) entries.push(blobOf(path, content));
      else folders.set(first, { ...folders.get(first), [rest.join("/")]: content });
    }
    for (const [path, inside] of folders) entries.push({ path, mode: "040000", type: "tree", sha: treeOf(inside) });
    const sha = createHash("sha1")
      .update(`tree ${JSON.stringify(entries)}`)
      .digest("hex");
    trees.set(sha, entries);
    return sha;
  }

  return {
    commit(files) {
      const tree = treeOf(files);
      const sha = createHash("sha1").update(`commit ${commits.size} ${tree}`).digest("hex");
      commits.set(sha, files);
      // As on GitHub, a commit's hash also addresses its tree.
      trees.set(sha, trees.get(tree) ?? []);
      return sha;
    },
    filesOf: (commit) => commits.get(commit) ?? {},
    tree: (sha) => trees.get(sha),
    blob: (sha) => blobs.get(sha),
  };
}
