/**
 * Keeps the live screen up to date: marks what changed and says it in a line, counts the time down, shows boards that have
 * no room beside the others in turn, and says quietly when the server cannot be reached.
 */

/** How often boards are read anew, how long a change stays marked, and how long a turn lasts; milliseconds. */
const LOOK_EVERY_MS = 5_000;
const MARKED_MS = 20_000;
const TURN_MS = 15_000;
const NEWS = 4;

const screen = document.querySelector<HTMLElement>(".screen");
const live = screen?.querySelector<HTMLElement>("[data-live]");
if (screen && live) run(screen, live);

function run(screen: HTMLElement, live: HTMLElement): void {
  const news = screen.querySelector<HTMLElement>("[data-news]");
  const state = screen.querySelector<HTMLElement>("[data-state]");
  const perTurn = Number(screen.dataset["turn"]);
  let turn = 0;

  async function refresh(): Promise<void> {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => undefined);
    if (!answer?.ok) return say(`Not connected; this is as of ${lastSeen}`);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = fresh.querySelector<HTMLElement>("[data-live]");
    if (next === null) return;
    lastSeen = clock(new Date());
    say("Live");
    if (next.innerHTML === shown) return;
    shown = next.innerHTML;
    const before = standings(live);
    live.replaceChildren(...next.children);
    tell(before);
    showTurn();
  }

  /** Marks the rows that were not there, or stood elsewhere, and says so. */
  function tell(before: ReadonlyMap<string, Standing>): void {
    for (const [key, { row, rank, time, name, board }] of standings(live)) {
      const old = before.get(key);
      if (old !== undefined && old.rank === rank && old.time === time) continue;
      row.classList.add("changed");
      setTimeout(() => row.classList.remove("changed"), MARKED_MS);
      // Whoever was pushed down is marked, and not told of.
      if (old?.time === time) continue;
      const line = document.createElement("li");
      const who = document.createElement("strong");
      who.textContent = name;
      line.append(clock(new Date()), " ", who, ` took rank ${rank} on ${board}, ${time}`);
      news?.prepend(line);
      while (news && news.children.length > NEWS) news.lastElementChild?.remove();
    }
  }

  function say(words: string): void {
    if (state && state.textContent !== words) state.textContent = words;
  }

  function showTurn(): void {
    const boards = [...live.children];
    const turns = Math.ceil(boards.length / perTurn);
    boards.forEach((board, at) => {
      (board as HTMLElement).hidden = turns > 1 && Math.floor(at / perTurn) !== turn % turns;
    });
  }

  let lastSeen = clock(new Date());
  let shown = live.innerHTML;
  showTurn();
  setInterval(() => void refresh(), LOOK_EVERY_MS);
  setInterval(() => {
    turn += 1;
    showTurn();
  }, TURN_MS);
  const left = screen.querySelector<HTMLTimeElement>("[data-countdown]");
  if (left) {
    count(left);
    setInterval(() => count(left), 1000);
  }
}

interface Standing {
  row: HTMLElement;
  rank: string;
  time: string;
  name: string;
  board: string;
}

/** The rows of all boards, by board and entrant. */
function standings(live: HTMLElement): Map<string, Standing> {
  const rows = [...live.querySelectorAll<HTMLElement>("[data-entrant]")];
  return new Map(
    rows.map((row) => {
      const board = row.closest<HTMLElement>("[data-board]")?.dataset["board"] ?? "";
      const { entrant = "", rank = "", time = "" } = row.dataset;
      return [`${board} ${entrant}`, { row, rank, time, board, name: row.querySelector("th")?.textContent ?? "" }];
    }),
  );
}

function count(left: HTMLTimeElement): void {
  const phase = left.dataset["countdown"];
  const seconds = Math.floor((Date.parse(left.dateTime) - Date.now()) / 1000);
  if (phase === "ended") return;
  if (seconds <= 0) {
    left.textContent = phase === "upcoming" ? "started" : "ended";
    return;
  }
  const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
  const days = Math.floor(seconds / 86_400);
  const hours = `${two((seconds % 86_400) / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  const time = days === 0 ? hours : `${days} d ${hours}`;
  left.textContent = phase === "upcoming" ? `starts in ${time}` : `${time} left`;
}

function clock(date: Date): string {
  return `${date.toISOString().slice(11, 16)} UTC`;
}
