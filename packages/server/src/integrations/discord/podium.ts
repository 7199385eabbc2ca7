/** Announcements of changes of a board's top three. */
import { code, plain } from "./escape.ts";

/** Entry with rank 3 or better; several may share a rank. */
export interface PodiumEntry {
  id: string;
  name: string;
  rank: number;
}

export const PODIUM = 3;

/** Returns one sentence per change, improvements first. */
export function podiumAnnouncements(
  before: readonly PodiumEntry[],
  now: readonly PodiumEntry[],
  board: string,
  target: string,
): string[] {
  const rankIn = (places: readonly PodiumEntry[], id: string): number =>
    places.find((place) => place.id === id)?.rank ?? Infinity;
  const where = `on ${code(board)} (${code(target)})`;
  const rose = now.flatMap(({ id, name, rank }) => {
    const old = rankIn(before, id);
    if (rank === 1 && old > 1) return [`**${plain(name)}** took **#1** ${where}.`];
    return old > PODIUM ? [`**${plain(name)}** entered the **top 3** ${where}.`] : [];
  });
  const fell = before.flatMap(({ id, name, rank }) => {
    const latest = rankIn(now, id);
    if (latest > PODIUM) return [`**${plain(name)}** fell out of the **top 3** ${where}.`];
    return rank === 1 && latest > 1 ? [`**${plain(name)}** lost **#1** ${where}.`] : [];
  });
  return [...rose, ...fell];
}
