/** The front of actuators against success as a chart; its points choose designs. */

import { el, svg } from "../dom.js";
import { setText } from "./parts.js";
import { actuatorsWords, percent, successShort } from "./words.js";

/** @typedef {import("../types.js").FrontPoint} FrontPoint */

const [WIDTH, HEIGHT] = [306, 164];
const [LEFT, RIGHT, TOP, BOTTOM] = [36, 12, 10, 34];

/**
 * A chart. `show` draws it again only after a change, so that the focus stays.
 * @param {(actuators: number) => void} choose called with the number of actuators of a point
 */
export function frontChart(choose) {
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "front", role: "group", "aria-label": "Success against actuators" });
  const line = el("p", { class: "quiet figures", "aria-hidden": "true" });
  const element = el("div", { id: "plan-front", hidden: true }, picture, line);
  let before = "";

  /** Draw the points, the wanted share, and which number of actuators is shown and which can be chosen. */
  function show(
    /** @type {FrontPoint[]} */ front, /** @type {number | null} */ wanted, /** @type {number | null} */ shown, /** @type {number[]} */ choosable,
  ) {
    const now = JSON.stringify([front, wanted, shown, choosable]);
    if (now === before) return;
    before = now;
    element.hidden = !front.length;
    if (!front.length) return;
    const focused = document.activeElement?.getAttribute("data-actuators");
    const chosen = front.some((point) => point.chosen) ? "◆ chosen    " : "";
    const usual = wanted === null ? chosen : `${chosen}- - wanted: ${percent(wanted)} %`;
    const x = scaleOf(front);
    const points = front.map((point) => pointOf(point, x(point.actuators), point.actuators === shown, choosable.includes(point.actuators)));
    picture.replaceChildren(...drawAxes(front, x), ...(wanted === null ? [] : [wantedLine(wanted)]), ...points);
    setText(line, usual);
    points.forEach((group, k) => listen(group, front[k].actuators, pointWords(front[k]), usual));
    if (focused) picture.querySelector(`[data-actuators="${focused}"]`)?.dispatchEvent(new Event("refocus"));
  }

  function listen(/** @type {SVGGElement} */ group, /** @type {number} */ actuators, /** @type {string} */ text, /** @type {string} */ usual) {
    const act = () => choose(actuators);
    group.addEventListener("click", act);
    group.addEventListener("refocus", () => group.focus());
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
    for (const name of ["pointerenter", "focus"]) group.addEventListener(name, () => setText(line, text));
    for (const name of ["pointerleave", "blur"]) group.addEventListener(name, () => setText(line, usual));
  }

  return { element, show };
}

function pointWords(/** @type {FrontPoint} */ point) {
  const chosen = point.chosen ? ", chosen" : "";
  return `${actuatorsWords(point.actuators)}: ${successShort(point)} of ${point.trials} trials${chosen}`;
}

/** @returns {(actuators: number) => number} */
function scaleOf(/** @type {FrontPoint[]} */ front) {
  const counts = front.map((point) => point.actuators);
  const [few, most] = [Math.min(...counts) - 0.6, Math.max(...counts) + 0.6];
  return (actuators) => LEFT + ((actuators - few) / (most - few)) * (WIDTH - LEFT - RIGHT);
}

function height(/** @type {number} */ share) {
  return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
}

function drawAxes(/** @type {FrontPoint[]} */ front, /** @type {(actuators: number) => number} */ x) {
  const parts = /** @type {SVGElement[]} */ ([]);
  for (const share of [0, 0.5, 1]) {
    const y = height(share);
    parts.push(svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: share ? "grid-line" : "axis" }));
    parts.push(makeLabel(LEFT - 6, y + 4, `${100 * share}`, "end"));
  }
  const counts = front.map((point) => point.actuators);
  const [few, most] = [Math.min(...counts), Math.max(...counts)];
  const step = Math.max(1, Math.ceil((most - few) / 9));
  for (let count = few; count <= most; count += step) parts.push(makeLabel(x(count), HEIGHT - BOTTOM + 15, String(count), "middle"));
  parts.push(makeLabel((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, "actuators", "middle"));
  const side = makeLabel(0, 0, "success [%]", "middle");
  side.setAttribute("transform", `translate(9 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`);
  return [...parts, side];
}

function makeLabel(/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text, /** @type {string} */ anchor) {
  const element = svg("text", { x, y, "text-anchor": anchor });
  element.textContent = text;
  return element;
}

function wantedLine(/** @type {number} */ wanted) {
  const y = height(wanted);
  return svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: "wanted" });
}

function pointOf(/** @type {FrontPoint} */ point, /** @type {number} */ x, /** @type {boolean} */ shown, /** @type {boolean} */ choosable) {
  const { actuators, reached, trials, low, high, chosen } = point;
  const [y, top, bottom] = [height(reached / (trials || 1)), height(high), height(low)];
  const whisker = `M${x} ${top}V${bottom}M${x - 4} ${top}h8M${x - 4} ${bottom}h8`;
  const mark = chosen ? svg("path", { d: `M${x} ${y - 6}l6 6l-6 6l-6 -6Z` }) : svg("circle", { cx: x, cy: y, r: 4.5 });
  mark.setAttribute("class", chosen ? "mark chosen" : "mark");
  const group = svg(
    "g",
    {
      class: shown ? "point shown" : "point", role: "button", tabindex: 0, "data-actuators": actuators, "aria-label": pointWords(point),
      "aria-pressed": String(shown), "aria-disabled": String(!choosable),
    },
    svg("rect", { x: x - 12, y: Math.min(top, y) - 8, width: 24, height: Math.max(bottom, y) - Math.min(top, y) + 16, class: "grip" }),
    svg("path", { d: whisker, class: "whisker" }),
  );
  if (shown) group.append(svg("circle", { cx: x, cy: y, r: 9.5, class: "ring" }));
  group.append(mark);
  return group;
}
