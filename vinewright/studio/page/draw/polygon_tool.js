/** Drawing polygons, corner by corner. */

import { state } from "../store.js";
import { pixels } from "../view.js";
import { snapPress, targets } from "./aim.js";
import { distance, roundTo, plus } from "./geometry.js";
import { snapDirection } from "./handles.js";
import { clearGesture, live, show } from "./live.js";
import { chainMeasures } from "./measures.js";
import { finish } from "./shape_tools.js";
import { newShape } from "./shapes.js";
import { gridStep } from "./snap.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./aim.js").Press} Press */

const CLOSING = 9; // distance from the first corner at which a click closes the polygon [px]
const PLACED = 60; // radius of a placed polygon [px]

/** The corners so far. @type {Point[]} */
let corners = [];

/** @type {import("./aim.js").Tool} */
export const polygonTool = {
  title: "Polygon", hotkey: "P", cursor: "crosshair",
  hint: "Click the corners; Enter or a click on the first one closes. Backspace takes one back. Enter places one.",
  press(press) {
    if (closes(press)) {
      close();
      return null;
    }
    const at = pointOf(press);
    const last = corners[corners.length - 1];
    // The second click of a double click is at the same point.
    if (!last || distance(last, at)) corners = [...corners, at];
    follow(at);
    return { move: (now) => follow(pointOf(now)), done: () => {}, cancel: () => void forget() };
  },
  hover(press) {
    if (!corners.length) snapPress(press);
    else follow(closes(press) ? corners[0] : pointOf(press));
  },
  typed(key) {
    if (!corners.length) return false;
    if (key === "Enter") close();
    else if (key === "Backspace") {
      corners = corners.slice(0, -1);
      if (corners.length) follow(live.chain[live.chain.length - 1]);
      else clearGesture();
    } else return false;
    return true;
  },
  finish: close,
  leave: forget,
  place: placeTriangle,
};

function closes(/** @type {Press} */ press) {
  return corners.length > 2 && distance(press.at, corners[0]) <= pixels(CLOSING);
}

function pointOf(/** @type {Press} */ press) {
  const at = snapPress(press, [...targets(), ...corners.map((corner) => ({ at: corner, kind: /** @type {const} */ ("corner") }))]);
  return press.shift && corners.length ? snapDirection(corners[corners.length - 1], at) : at;
}

function follow(/** @type {Point} */ at) {
  const chain = [...corners, at];
  show({ chain, dimensions: chainMeasures(chain) });
}

function close() {
  if (corners.length < 3) return;
  const shape = newShape("polygon", [], corners);
  forget();
  finish(shape);
}

function forget() {
  const busy = corners.length > 0;
  corners = [];
  clearGesture();
  return busy;
}

/** A triangle in the middle of the view. */
function placeTriangle() {
  const step = gridStep(state.view.scale);
  const half = Math.max(roundTo(PLACED / state.view.scale, step), step);
  const at = /** @type {Point} */ ([roundTo(state.view.x, step), roundTo(state.view.y, step)]);
  finish(newShape("polygon", [], [plus(at, [-half, -half]), plus(at, [half, -half]), plus(at, [0, half])]));
}
