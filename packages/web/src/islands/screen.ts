/**
 * Keeps the live screen up to date with the streams that the page names: marks and announces changes, counts down,
 * rotates boards that do not fit, and shows when the server cannot be reached.
 */

/**
 * Intervals in milliseconds: between refreshes without an update, since some boards have no stream; before a refused
 * stream is requested again; for which a change stays marked; and between rotations.
 */
const REFRESH_MS = 60_000;
const RETRY_MS = 10_000;
const MARKED_MS = 20_000;
const ROTATION_MS = 15_000;
const NEWS = 4;

const screen = document.querySelector<HTMLElement>(".screen");
const boards = screen?.querySelector<HTMLElement>("[data-boards]");
if (screen && boards) run(screen, boards);

function run(screen: HTMLElement, live: HTMLElement): void {
  const news = screen.querySelector<HTMLElement>("[data-news]");
  const state = screen.querySelector<HTMLElement>("[data-state]");
  let turn = 0;
  let refreshing = false;
  let again = false;

  /**
   * Follows a stream, with a refresh for changes before it was open. The browser reconnects, except after a refusal.
   */
  function follow(updates: string): void {
    const source = new EventSource(updates);
    source.addEventListener("open", () => void refresh());
    source.addEventListener("update", () => void refresh());
    source.addEventListener("error", () => {
      showDisconnected();
      if (source.readyState === EventSource.CLOSED) setTimeout(() => follow(updates), RETRY_MS);
    });
  }

  async function refresh(): Promise<void> {
    again = true;
    if (refreshing) return;
    refreshing = true;
    while (again) {
      again = false;
      const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => undefined);
      if (answer?.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      else showDisconnected();
    }
    refreshing = false;
  }

  function show(fresh: Document): void {
    const next = fresh.querySelector<HTMLElement>("[data-boards]");
    if (next === null) return;
    lastSeen = clock(new Date());
    setState("Live");
    if (next.innerHTML === shown) return;
    shown = next.innerHTML;
    const before = screenRows(live);
    live.replaceChildren(...next.children);
    live.className = next.className;
    live.dataset["turn"] = next.dataset["turn"];
    markChanges(before);
    showTurn();
  }

  function showDisconnected(): void {
    setState(`Disconnected; last update ${lastSeen}`);
  }

  /** Marks rows that are new or have changed, and announces them. */
  function markChanges(before: ReadonlyMap<string, ScreenRow>): void {
    for (const [key, { row, rank, time, name, board }] of screenRows(live)) {
      const old = before.get(key);
      if (old !== undefined && old.rank === rank && old.time === time) continue;
      row.classList.add("changed");
      setTimeout(() => row.classList.remove("changed"), MARKED_MS);
      // Rows with a changed rank but the same time are marked, and not announced.
      if (old?.time === time) continue;
      const line = document.createElement("li");
      const who = document.createElement("strong");
      who.textContent = name;
      line.append(clock(new Date()), " ", who, ` is now rank ${rank} on ${board}, ${time}`);
      news?.prepend(line);
      while (news && news.children.length > NEWS) news.lastElementChild?.remove();
    }
  }

  function setState(text: string): void {
    if (state && state.textContent !== text) state.textContent = text;
  }

  function showTurn(): void {
    const boards = [...live.children];
    const perTurn = Number(live.dataset["turn"]);
    const turns = Math.ceil(boards.length / perTurn);
    boards.forEach((board, at) => {
      (board as HTMLElement).hidden = turns > 1 && Math.floor(at / perTurn) !== turn % turns;
    });
  }

  let lastSeen = clock(new Date());
  let shown = live.innerHTML;
  showTurn();
  for (const updates of live.dataset["updates"]?.split(" ") ?? []) if (updates !== "") follow(updates);
  setInterval(() => void refresh(), REFRESH_MS);
  setInterval(() => {
    turn += 1;
    showTurn();
  }, ROTATION_MS);
  const left = screen.querySelector<HTMLTimeElement>("[data-countdown]");
  if (left) {
    count(left);
    setInterval(() => count(left), 1000);
  }
}

interface ScreenRow {
  row: HTMLElement;
  rank: string;
  time: string;
  name: string;
  board: string;
}

/** Returns the rows of all boards, by board and entrant. */
function screenRows(live: HTMLElement): Map<string, ScreenRow> {
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
