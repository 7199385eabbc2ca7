import { formatNs, type BoardSummary } from "@kernelbot/core";
import { html, type Html } from "./html.ts";
import { page } from "./layout.ts";
import { count } from "./words.ts";

/** The first page: what this is, the boards, and how to take part. `server` is its own address, for the commands. */
export function homePage({ boards, server }: { boards: readonly BoardSummary[]; server: string }): Promise<string> {
  return page({
    title: "KernelBot",
    body: html`
      <h1>Make kernels fast</h1>
      <p class="lead">
        Hand in a kernel. It is checked in a sandbox, timed by a clock that it cannot reach, on inputs that it has never
        seen, and ranked with the interval of its time.
      </p>
      <h2 id="boards">Boards</h2>
      ${boardTable(boards)}
      <h2 id="submit">Take part</h2>
      <p>Choose a board, write a file that defines <code>custom_kernel</code>, and hand it in from a terminal:</p>
      <pre><code>export KERNELBOT_SERVER=${server}
export KERNELBOT_TOKEN=…          # from the organiser of this server
kernelbot problems                # what there is, with a starter file each
kernelbot submit my.py --board ${boards[0]?.board ?? "vectoradd"} --target ${boards[0]?.target ?? "cpu"} --mode ranked</code></pre>
      <p>
        Mode <code>test</code> only checks, <code>benchmark</code> also times, and <code>ranked</code> checks, times and
        enters the board.
      </p>
    `,
  });
}

function boardTable(boards: readonly BoardSummary[]): Html {
  if (boards.length === 0) return html`<p>This server has no problems yet.</p>`;
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Board</th>
          <th scope="col" class="right">Best time</th>
          <th scope="col">Leader</th>
        </tr>
      </thead>
      <tbody>
        ${boards.map(
          (board) =>
            html`<tr>
              <th scope="row">
                <a href="/boards/${board.board}/${board.target}">${board.board}</a>
                <span class="target">${board.target}</span>
              </th>
              <td class="right number">${board.bestNs === null ? "–" : formatNs(board.bestNs)}</td>
              <td>
                ${
                  board.leader === null
                    ? html`<small>no entry yet</small>`
                    : html`${board.leader.name}
                        <small class="nowrap">${count(board.entries, "entry", "entries")}</small>`
                }
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
