/** What is told of the first three of a board when they change. */
import { code, plain } from "./escape.ts";

/** One of those whose rank is 3 or better; several may share a rank. */
export interface Place {
  id: string;
  name: string;
  rank: number;
}

export const PODIUM = 3;

/** Sentences on what has changed, those who rose first. */
export function podiumNews(before: readonly Place[], now: readonly Place[], board: string, target: string): string[] {
  const rankIn = (places: readonly Place[], id: string): number =>
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
