/** Updates the comment and the commit status when they differ from the stored state. */
import { createHash } from "node:crypto";
import { commentOf, MARK, statusOf } from "./comment.ts";
import { unlessPermanent } from "./permanent.ts";
import { changed, type Followed, type Work } from "./rows.ts";

/**
 * Writes both. When GitHub refuses one of them, such as the comment on a locked pull request, the other one is still
 * written.
 */
export async function say(work: Work, followed: readonly Followed[]): Promise<void> {
  const { log } = work.database;
  const comment = sayComment(work, commentOf(work.pull, followed, work.publicUrl));
  const commented = await unlessPermanent(comment, log, "GitHub refused the comment");
  const status = sayStatus(commented ?? work, followed, commented !== null);
  await unlessPermanent(status, log, "GitHub refused the commit status");
}

async function sayComment(work: Work, body: string): Promise<Work> {
  const { api, address, pull } = work;
  const hash = createHash("sha256").update(body).digest("hex");
  if (pull.comment_hash === hash) return work;
  // A comment that was posted by a server that ended before it stored the id is found by its mark.
  const known = pull.comment_id ?? (await api.findComment(address, MARK));
  const isThere = known !== null && (await api.editComment(address, known, body));
  return changed(work, { comment_id: isThere ? known : await api.addComment(address, body), comment_hash: hash });
}

async function sayStatus(work: Work, followed: readonly Followed[], hasComment: boolean): Promise<Work> {
  const { api, address, pull, publicUrl } = work;
  const { state, description } = statusOf(pull, followed, hasComment);
  const said = `${pull.head_sha} ${state} ${description}`;
  if (pull.status_said === said) return work;
  const [first] = followed;
  const target_url = first === undefined ? publicUrl : `${publicUrl}/kernelbench/entries/${first.row.entry_id}`;
  await api.setStatus(address, pull.head_sha, { state, description, target_url });
  return changed(work, { status_said: said });
}
