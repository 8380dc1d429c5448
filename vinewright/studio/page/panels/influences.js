/** The errors on which success depends, ranked, with bars; or why there is nothing to rank. */

import { el, svg } from "../dom.js";
import { setText } from "./parts.js";
import { percent } from "./words.js";

/** @typedef {import("../types.js").Influence} Influence */
/** @typedef {import("../types.js").Success} Success */

const HEIGHT = 8; // of a bar [px]

/**
 * The part of the panel.
 * @returns {{element: HTMLElement, show: (busy: boolean, success: Success | null, influences: readonly Influence[] | null) => void}}
 */
export function influencesPart() {
  const reason = el("p", { id: "trust-reason", class: "quiet" });
  const list = el("ol", { id: "trust-influences" });
  const hint = el(
    "p", { class: "quiet small" }, "Share of the variance of success that each error explains alone, with its 95 % interval. The rest is errors together, and chance.",
  );
  const element = el("section", { id: "trust-explained", "aria-label": "Errors that decide" }, el("h2", {}, "Errors that decide"), reason, list, hint);
  return {
    element,
    show: (busy, success, influences) => {
      const some = busy ? [] : (influences ?? []);
      setText(reason, reasonWords(busy, success, influences));
      reason.hidden = some.length > 0;
      list.hidden = hint.hidden = !some.length;
      list.replaceChildren(...some.map(rowOf));
    },
  };
}

/** Why there is nothing to rank; empty if there is. */
function reasonWords(/** @type {boolean} */ busy, /** @type {Success | null} */ success, /** @type {readonly Influence[] | null} */ influences) {
  if (busy) return "Ranked when the trials have ended.";
  if (!success) return "Make trials to see which errors decide.";
  const { reached, trials } = success;
  if (reached === trials) return `All ${trials} trials reach the goal: no error makes the tube miss it. With larger errors you see what fails first.`;
  if (!reached) return `None of ${trials} trials reaches the goal: no error makes a difference. With smaller errors you see which one matters most.`;
  if (!influences) return "Make trials to rank all errors.";
  return influences.length ? "" : "Trials miss the goal by several errors together, or by chance. More trials tell more.";
}

function rowOf(/** @type {Influence} */ { error, share, interval_95: [low, high] }) {
  const words = `${percent(share)} % (${percent(low)}–${percent(high)})`;
  return el("li", {}, el("span", { class: "name" }, error), " ", el("span", { class: "share" }, words), bar(share, low, high));
}

/** A bar of the share, with a line over its interval. */
function bar(/** @type {number} */ share, /** @type {number} */ low, /** @type {number} */ high) {
  const part = (/** @type {number} */ value) => `${100 * Math.min(Math.max(value, 0), 1)}%`;
  return svg(
    "svg", { class: "bar", width: "100%", height: HEIGHT, "aria-hidden": "true" },
    svg("rect", { class: "ground", width: "100%", height: HEIGHT, rx: 2 }), svg("rect", { class: "value", width: part(share), height: HEIGHT, rx: 2 }),
    svg("line", { class: "whisker", x1: part(low), x2: part(high), y1: HEIGHT / 2, y2: HEIGHT / 2 }),
  );
}
