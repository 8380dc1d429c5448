/** Dimensions as on a workshop drawing: lines with arrows and figures, of the same size at every zoom. */

import { svg } from "../dom.js";
import { toStage } from "../view.js";
import { boxesMeet, distance, middle, minus, plus, times } from "./geometry.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./live.js").Dimension} Dimension */

const ARROW = 7; // length of an arrow head [px]
const ROOM = 30; // lines shorter than this have their arrows outside [px]
const FIGURE = 7; // width of a character [px]
const HIGH = 18; // height of a figure with the room around it [px]
const WAYS = [0, -1, 1, -2, 2]; // heights by which a figure makes way for others

/** A figure at a point of the stage, on a patch that hides the line beneath it. */
export function drawLabel(/** @type {Point} */ [x, y], /** @type {string} */ text) {
  const figure = svg("text", { class: "figure", x, y, "text-anchor": "middle", "dominant-baseline": "central" });
  figure.textContent = text;
  const half = widthOf(text) / 2 + 3;
  return svg("g", {}, svg("rect", { class: "patch", x: x - half, y: y - 8, width: 2 * half, height: 16, rx: 3 }), figure);
}

function widthOf(/** @type {string} */ text) {
  return FIGURE * text.length;
}

/**
 * A dimension.
 * @param {Dimension} dimension
 * @param {Box[]} taken boxes of the figures so far, which its figure makes way for; its box is added
 */
export function drawDimension({ from, to, text, aside = 0, centres }, taken = []) {
  const [a, b] = [toStage(from), toStage(to)];
  const length = distance(a, b);
  const group = svg("g", { class: centres ? "dimension centres" : "dimension" });
  if (length < 1) {
    group.append(drawLabel(freePlace(plus(a, [widthOf(text) / 2 + 14, -14]), text, taken), text));
    return group;
  }
  // On the stage y points down, so that the left of a direction is here.
  const along = times(minus(b, a), 1 / length);
  const left = /** @type {Point} */ ([along[1], -along[0]]);
  const [p, q] = [plus(a, times(left, aside)), plus(b, times(left, aside))];
  if (centres) group.append(...[p, q].map((end, k) => drawLine("extension", toStage(centres[k]), end)));
  else if (aside) group.append(drawLine("extension", a, plus(p, times(left, 5))), drawLine("extension", b, plus(q, times(left, 5))));
  group.append(drawLine("dimension-line", p, q), ...drawArrows(p, q, along, length));
  group.append(drawLabel(freePlace(figurePlace(p, q, left, along, length, text), text, taken), text));
  return group;
}

/** The place for a figure that is nearest above or beneath its own one, and is free; its box is then taken. @returns {Point} */
function freePlace(/** @type {Point} */ at, /** @type {string} */ text, /** @type {Box[]} */ taken) {
  for (const way of WAYS) {
    const place = plus(at, [0, way * HIGH]);
    const box = boxOfFigure(place, text);
    if (taken.some((other) => boxesMeet(box, other))) continue;
    taken.push(box);
    return place;
  }
  return at;
}

/** @returns {Box} */
function boxOfFigure(/** @type {Point} */ at, /** @type {string} */ text) {
  const half = /** @type {Point} */ ([widthOf(text) / 2 + 3, HIGH / 2 - 1]);
  return { min: minus(at, half), max: plus(at, half) };
}

/**
 * The arrow across a passage, with its width where there is room for it.
 * @param {[Point, Point]} ends
 * @param {string} text
 * @param {boolean} narrow whether the tube does not fit
 * @param {Box[]} taken boxes of the figures so far; the box of this figure is added
 */
export function drawNarrowing(ends, text, narrow, taken) {
  const [a, b] = [toStage(ends[0]), toStage(ends[1])];
  const length = distance(a, b);
  const along = length ? times(minus(b, a), 1 / length) : /** @type {Point} */ ([1, 0]);
  const left = /** @type {Point} */ ([along[1], -along[0]]);
  const group = svg("g", { class: narrow ? "passage narrow" : "passage" });
  group.append(drawLine("dimension-line", a, b), ...drawArrows(a, b, along, length));
  for (const side of [left, times(left, -1)]) {
    const at = figurePlace(a, b, side, along, length, text);
    const box = boxOfFigure(at, text);
    if (taken.some((other) => boxesMeet(box, other))) continue;
    taken.push(box);
    group.append(drawLabel(at, text));
    break;
  }
  return group;
}

/** Place the figure on the line if it has room there, otherwise beside it. @returns {Point} */
function figurePlace(
  /** @type {Point} */ a, /** @type {Point} */ b, /** @type {Point} */ left, /** @type {Point} */ along,
  /** @type {number} */ length, /** @type {string} */ text,
) {
  const half = widthOf(text) / 2;
  const across = Math.abs(along[0]) * half + Math.abs(along[1]) * 8;
  if (length > 2 * across + 3 * ARROW) return middle(a, b);
  const clear = Math.abs(left[0]) * half + Math.abs(left[1]) * 8 + 6;
  return plus(middle(a, b), times(left, clear));
}

function drawLine(/** @type {string} */ className, /** @type {Point} */ a, /** @type {Point} */ b) {
  return svg("path", { class: className, d: `M${a.map(coordinateText).join(" ")}L${b.map(coordinateText).join(" ")}` });
}

/** The heads at both ends; from outside where the line is short. */
function drawArrows(/** @type {Point} */ a, /** @type {Point} */ b, /** @type {Point} */ along, /** @type {number} */ length) {
  const outside = length < ROOM;
  const made = [drawArrowHead(a, times(along, outside ? -1 : 1)), drawArrowHead(b, times(along, outside ? 1 : -1))];
  const tail = times(along, 2 * ARROW);
  if (outside) made.push(drawLine("dimension-line", a, minus(a, tail)), drawLine("dimension-line", b, plus(b, tail)));
  return made;
}

/** An arrow head with its point at a place; `back` leads away from it. */
function drawArrowHead(/** @type {Point} */ at, /** @type {Point} */ back) {
  const foot = plus(at, times(back, ARROW));
  const side = times(/** @type {Point} */ ([back[1], -back[0]]), ARROW / 3);
  const corners = [at, plus(foot, side), minus(foot, side)];
  return svg("path", { class: "arrow", d: `M${corners.map((one) => one.map(coordinateText).join(" ")).join("L")}Z` });
}

function coordinateText(/** @type {number} */ value) {
  return value.toFixed(1);
}
