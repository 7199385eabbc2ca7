/** Handles a new head, closing, reopening and merging of a pull request. */
import { codeSpan } from "@kernelbot/core";
import { LABEL } from "./events.ts";
import { isFinished } from "./evaluation.ts";
import { entryIn, FOLDER, selectFiles } from "./files.ts";
import { unlessPermanent } from "./permanent.ts";
import { updatePull, updateEntry, entriesOf, isNeededByOtherPull, readEntries, type Work } from "./pull-state.ts";

/** Handles a new head commit: removes the label, which was added for the old one. */
export async function onNewHead(work: Work, sha: string): Promise<Work> {
  const { labelled_sha, state } = work.pull;
  if (labelled_sha === sha) return work;
  if (state === "closed" || state === "merged") return updatePull(work, { head_sha: sha });
  const was = labelled_sha === null ? "an older commit" : codeSpan(labelled_sha.slice(0, 10));
  return removeLabel(
    work,
    sha,
    `The label was added for ${was}, but the head commit is now ${codeSpan(sha.slice(0, 10))}.`,
  );
}

export async function onReopened(work: Work, sha: string): Promise<Work> {
  return removeLabel(work, sha, "The pull request was reopened.");
}

async function removeLabel(work: Work, sha: string, why: string): Promise<Work> {
  await stopEntries(work);
  const { log } = work.database;
  const removed = await unlessPermanent(work.api.removeLabel(work.address, LABEL), log, "removing the label failed");
  const first = removed === null ? " removes it, which GitHub did not let KernelBot do, and" : "";
  const notice = `${why} To evaluate this commit, a maintainer${first} adds the label ${codeSpan(LABEL)} again.`;
  return updatePull(work, { state: "waiting", head_sha: sha, labelled_sha: null, merge_sha: null, notice });
}

/** Handles closing without a merge: the evaluation is stopped. */
export async function onClosed(work: Work): Promise<Work> {
  await stopEntries(work);
  const notice = "The pull request was closed without being merged; nothing is published.";
  return updatePull(work, { state: "closed", labelled_sha: null, notice });
}

/**
 * Handles a merge: marks for publication the entries whose file was merged with the evaluated content, whatever commits
 * came in between. Evaluations that are running are finished first.
 */
export async function onMerged(work: Work, mergeSha: string): Promise<Work> {
  const { api, address, pull } = work;
  const { paths } = selectFiles(await api.changedFiles(address));
  const folder = await api.folder(address, mergeSha, FOLDER);
  const known = await readEntries(work, await entriesOf(work, { current: false }));
  const isUnderWay = pull.state === "evaluating";
  const published = new Set<number>();
  const strange: string[] = [];
  const stopped: string[] = [];
  for (const path of paths) {
    const sha = entryIn(folder, path)?.sha;
    const same = known.filter(({ row }) => row.path === path && row.blob_sha === sha);
    const match = same.findLast(
      ({ row, entry, isStopped }) => isFinished(entry) || (isUnderWay && row.is_current && !isStopped),
    );
    if (match !== undefined) published.add(match.row.entry_id);
    else (same.length > 0 ? stopped : strange).push(path);
  }
  for (const { row } of known) {
    const isMerged = published.has(row.entry_id);
    await updateEntry(work, row, { is_merged: isMerged, is_current: row.is_current || isMerged });
  }
  await stopEntries(work, { but: [...published] });
  const list = (paths: readonly string[]): string => paths.map((path) => codeSpan(path)).join(", ");
  const notices = [
    ...(strange.length > 0 ? [`Not published, because the merged content was not evaluated: ${list(strange)}.`] : []),
    ...(stopped.length > 0
      ? [`Not published, because the evaluation was not complete at the merge: ${list(stopped)}.`]
      : []),
  ];
  const notice = notices.length === 0 ? null : notices.join(" ");
  const state = published.size === 0 ? "merged" : "evaluating";
  return updatePull(work, { state, merge_sha: mergeSha, notice });
}

/**
 * Stops the unfinished current entries of the pull request, except those in `but` and those that another pull request
 * needs.
 */
export async function stopEntries(work: Work, { but = [] }: { but?: readonly number[] } = {}): Promise<void> {
  const rows = (await entriesOf(work, { current: true })).filter(({ entry_id }) => !but.includes(entry_id));
  for (const { row, entry } of await readEntries(work, rows)) {
    if (isFinished(entry) || (await isNeededByOtherPull(work, row.entry_id))) continue;
    await work.evaluation.stop(row.entry_id);
  }
}

/** Stops the current entries that are not in `by`, and removes them from the comment. */
export async function replaceEntries(work: Work, by: readonly number[]): Promise<void> {
  await stopEntries(work, { but: by });
  for (const row of await entriesOf(work, { current: true })) {
    if (!by.includes(row.entry_id)) await updateEntry(work, row, { is_current: false });
  }
}
