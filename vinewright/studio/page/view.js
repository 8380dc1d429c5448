/** Conversion from millimetres in the drawing to pixels on the stage, and the canvases beneath and over the obstacles. The y axis points up. */

import { byId } from "./dom.js";
import { set, state, subscribe } from "./store.js";
import { whenThemeChanges } from "./theme.js";

/** @typedef {import("./types.js").Point} Point */

const [beneath, over] = ["canvas", "over"].map((id) => byId(id, HTMLCanvasElement));
export const stage = byId("stage", HTMLElement);

/** Size of the stage [px]. */
export const size = { width: 1, height: 1 };

/** @typedef {{order: number, paint: (context: CanvasRenderingContext2D) => void, onTop: boolean}} Layer */
/** @type {Layer[]} */
const layers = [];
let waiting = false;

/**
 * Add a layer; it is painted in millimetres with y up, lower orders first. Line widths: `pixels(2)`.
 * @param {number} order
 * @param {(context: CanvasRenderingContext2D) => void} paint
 * @param {boolean} [onTop] whether it lies over the obstacles
 */
export function addLayer(order, paint, onTop = false) {
  layers.push({ order, paint, onTop });
  layers.sort((one, other) => one.order - other.order);
}

/** Paint the canvas again in the next frame. */
export function repaint() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    paint();
  });
}

function paint() {
  paintOn(beneath, layers.filter(({ onTop }) => !onTop));
  paintOn(over, layers.filter(({ onTop }) => onTop));
}

function paintOn(/** @type {HTMLCanvasElement} */ canvas, /** @type {Layer[]} */ some) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const sharp = devicePixelRatio;
  const { x, y, scale } = state.view;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  const k = scale * sharp;
  context.setTransform(k, 0, 0, -k, (size.width / 2 - x * scale) * sharp, (size.height / 2 + y * scale) * sharp);
  for (const layer of some) {
    context.save();
    layer.paint(context);
    context.restore();
  }
}

/** The length [mm] of a number of pixels on the screen. */
export function pixels(/** @type {number} */ count) {
  return count / state.view.scale;
}

/** A point of the stage [px from its upper left corner] in the drawing [mm]. */
export function toDrawing(/** @type {number} */ x, /** @type {number} */ y) {
  const { view } = state;
  return /** @type {Point} */ ([view.x + (x - size.width / 2) / view.scale, view.y - (y - size.height / 2) / view.scale]);
}

/** A point of the drawing [mm] on the stage [px]. */
export function toStage(/** @type {Point} */ [x, y]) {
  const { view } = state;
  return /** @type {Point} */ ([size.width / 2 + (x - view.x) * view.scale, size.height / 2 - (y - view.y) * view.scale]);
}

/** Zoom by a factor about a point of the stage [px]. */
export function zoom(/** @type {number} */ factor, at = /** @type {Point} */ ([size.width / 2, size.height / 2])) {
  set({ view: movedView(state.view, at, at, factor) });
}

/**
 * The view after a zoom in which what was at one point of the stage [px] comes to another.
 * @param {import("./types.js").State["view"]} view before
 * @param {Point} from
 * @param {Point} to
 * @param {number} factor
 */
export function movedView(view, from, to, factor) {
  const scale = Math.min(Math.max(view.scale * factor, 0.005), 50);
  const [dx, dy] = [0, 1].map((k) => {
    const middle = [size.width, size.height][k] / 2;
    return (from[k] - middle) / view.scale - (to[k] - middle) / scale;
  });
  return { x: view.x + dx, y: view.y - dy, scale };
}

/** Show all of the bounds. */
export function fit() {
  set({ view: fittedView() });
}

/** The view of all of the bounds; the present one if they are empty. */
function fittedView() {
  const { min, max } = state.doc.bounds;
  const [width, height] = [max[0] - min[0], max[1] - min[1]];
  if (!(width > 0 && height > 0)) return state.view;
  const scale = Math.min((size.width - 96) / width, (size.height - 96) / height, 50);
  return { x: (min[0] + max[0]) / 2, y: (min[1] + max[1]) / 2, scale: Math.max(scale, 0.005) };
}

function isFitted() {
  const [now, fitted] = [state.view, fittedView()];
  return now.x === fitted.x && now.y === fitted.y && now.scale === fitted.scale;
}

/** A colour of the style sheet, for the canvas. */
export function colour(/** @type {string} */ name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

new ResizeObserver(() => {
  const wasFitted = isFitted();
  size.width = stage.clientWidth;
  size.height = stage.clientHeight;
  for (const canvas of [beneath, over]) {
    canvas.width = Math.round(size.width * devicePixelRatio);
    canvas.height = Math.round(size.height * devicePixelRatio);
  }
  // A wider panel must not hide the goal of a drawing that was shown as a whole.
  set({ view: wasFitted ? { ...fittedView() } : { ...state.view } });
  paint();
}).observe(stage);
whenThemeChanges(repaint);
subscribe(["view", "doc"], repaint);
