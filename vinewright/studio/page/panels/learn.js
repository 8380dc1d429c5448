/** What the trials of the built tube say of its errors: the success as promised and as learnt, and which errors were learnt. */

import { el } from "../dom.js";
import { state, subscribe } from "../store.js";
import { asked, builtOf, isWorking, shownLearning, startBuilt, stopBuilt, whenBuilt } from "./built.js";
import { checkField, setText, showDisabled, table } from "./parts.js";
import { percent, withFirstLarge } from "./words.js";

/** @typedef {import("../types.js").SuccessRange} SuccessRange */
/** @typedef {import("../types.js").Learning} Learning */

/** Why nothing can be learnt or adapted by what was measured now; empty if it can. */
function fault() {
  if (state.built?.problem) return "What was measured cannot be used.";
  return builtOf()?.items.length ? "" : "Add a growth or a bend first.";
}

/**
 * The part of the panel.
 * @param {{errors: () => import("./trials.js").Errors, accept: (on: boolean) => void}} panel its errors, and what happens when what was learnt is to be used
 */
export function learnPart({ errors, accept }) {
  const go = el("button", { type: "button", id: "learn-go", class: "wide" });
  const bar = el("progress", { id: "learn-progress", "aria-label": "Errors weighed by the trials" });
  const failed = el("p", { id: "learn-fault", class: "error", role: "status" });
  const line = el("p", { id: "learn-line", class: "quiet small", role: "status" });
  const result = el("div", { id: "learn-result" });
  const used = checkField("learn-use", "Use what was learnt in the trials of this panel", false, accept, "In place of the errors of the sliders that have it");
  const older = el("p", { id: "learn-older", class: "quiet small" }, "What was measured has changed since: learn again.");
  go.addEventListener("click", () => {
    if (isWorking("learn")) stopBuilt("learn");
    else if (!fault()) startBuilt("learn", { errors: errors() });
  });
  let shown = /** @type {Learning["result"]} */ (null);
  const show = () => {
    const [busy, learning, built] = [isWorking("learn"), shownLearning(), builtOf()];
    setText(go, busy ? (asked.stopping.learn ? "Stopping …" : "Stop") : built?.learnt ? "Learn again" : "Learn from what was measured");
    showDisabled(go, busy ? "" : fault(), busy ? "Nothing is written then" : "Weighs the errors of the sliders; writes uncertainty.toml and learnt.png in the run, in place of earlier ones");
    bar.hidden = !busy;
    if (busy && typeof learning?.share === "number") [bar.max, bar.value] = [1, learning.share];
    else bar.removeAttribute("value");
    setText(failed, asked.faults.learn && `${withFirstLarge(asked.faults.learn)}.`);
    setText(line, busy ? "Seconds, or some minutes among many obstacles." : learning?.stopped ? "Stopped: nothing was learnt." : fault());
    line.hidden = !line.textContent;
    if (shown !== (learning?.result ?? null)) {
      shown = learning?.result ?? null;
      result.replaceChildren(...(shown ? resultParts(shown) : []));
    }
    used.row.hidden = !built?.learnt;
    older.hidden = !built?.learnt?.older;
  };
  subscribe(["built", "learning", "run", "design"], show);
  whenBuilt(show);
  const element = el("section", { id: "learn", "aria-label": "Learn from them" }, el("h2", {}, "Learn from them"), go, bar, line, failed, result, used.row, older);
  return { element, used: used.input };
}

function resultParts(/** @type {NonNullable<Learning["result"]>} */ { before, now, lines, rows, notes }) {
  const success = el(
    "dl", { class: "facts ranges" }, ...rangeRow("Success promised", before), ...rangeRow("Success as learnt", now),
  );
  const learnt = rows.length > 0 && el("div", { class: "sheet" }, table("Errors that were learnt", ["Error", ">before", ">now"], rows));
  const warn = (/** @type {string} */ text) => text.startsWith("warning: ") || text.startsWith("no model explains");
  const told = [...lines, ...notes];
  const said = (/** @type {string} */ text) => el("li", {}, `${withFirstLarge(text.replace(/^warning: /, ""))}.`);
  const warnings = told.filter(warn).map(said);
  return [
    success, el("p", { class: "quiet small" }, "In brackets: where the success of this tube lies, with a probability of 90 %."), warnings.length > 0 && el("ul", { id: "learn-warnings", class: "warnings", "aria-label": "Warnings" }, ...warnings), learnt,
    el("ul", { id: "learn-notes", class: "notes" }, ...told.filter((text) => !warn(text)).map(said)),
  ].filter((part) => part !== false);
}

function rangeRow(/** @type {string} */ name, /** @type {SuccessRange} */ range) {
  return [el("dt", {}, name), el("dd", {}, rangeWords(range))];
}

/** A success with its interval, which is rounded outwards: `85 % (60–97)`. */
export function rangeWords(/** @type {SuccessRange} */ { mean, low, high }) {
  return `${percent(mean)} % (${Math.floor(100 * low)}–${Math.ceil(100 * high)})`;
}
