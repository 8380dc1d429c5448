/** Drawing boxes, circles and walls. */

import { edit, set, state } from "../store.js";
import { snapPress, snapRadius, stayingNow, targets } from "./aim.js";
import { centreMeasures } from "./centres.js";
import { distance, roundTo, plus, rowBetween } from "./geometry.js";
import { snapDirection } from "./handles.js";
import { clearGesture, live, show } from "./live.js";
import { shapeMeasures } from "./measures.js";
import { boxOf } from "./outline.js";
import { addShapes, hasExtent, newShape } from "./shapes.js";
import { gridStep } from "./snap.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../types.js").Kind} Kind */
/** @typedef {import("./aim.js").Press} Press */
/** @typedef {import("./aim.js").Gesture} Gesture */
/** @typedef {import("./aim.js").Tool} Tool */

const PLACED = 100; // size of a placed object [px]
const FIRST_THICKNESS = 20; // of walls, until one has another [mm]

/** Thickness of the next wall: the thickness of the last wall. */
function nextThickness() {
  const walls = state.doc.shapes.filter((shape) => shape.kind === "wall");
  return walls.length ? walls[walls.length - 1].row[4] : FIRST_THICKNESS;
}

/** Add a shape that was drawn, select it, and return to selecting. */
export function finish(/** @type {Shape} */ shape) {
  clearGesture();
  if (!hasExtent(shape)) return;
  edit((doc) => addShapes(doc, [shape]));
  set({ selection: new Set([shape.id]), tool: "select" });
}

/** Return the point at which the keyboard places an object: the middle of the view, or beside the object that was placed there before. */
function nextPlace() {
  const step = gridStep(state.view.scale);
  const size = Math.max(roundTo(PLACED / state.view.scale, 2 * step), 2 * step);
  let at = /** @type {Point} */ ([roundTo(state.view.x, step), roundTo(state.view.y, step)]);
  const taken = (/** @type {Point} */ point) =>
    state.doc.shapes.some(({ kind, row }) => {
      if (kind === "circle") return row[0] === point[0] && row[1] === point[1];
      return kind !== "polygon" && (row[0] + row[2]) / 2 === point[0] && (row[1] + row[3]) / 2 === point[1];
    });
  while (taken(at)) at = plus(at, [2 * step, -2 * step]);
  return { at, half: size / 2 };
}

/** Show a shape that is being drawn, with its size, and with Alt the distances of its centre lines from others. */
function showDraft(/** @type {Shape} */ draft, /** @type {Press} */ { alt }) {
  show({ draft, dimensions: [...shapeMeasures(draft), ...(alt ? centreMeasures(boxOf(draft), stayingNow()) : [])] });
}

/** A tool that drags from one point to another. @returns {Tool} */
function dragTool(
  /** @type {Kind} */ kind, /** @type {Pick<Tool, "title" | "hotkey" | "hint">} */ texts,
  /** @type {(from: Point, to: Point, shift: boolean) => number[]} */ rowOf,
) {
  return {
    ...texts, cursor: "crosshair",
    press(press) {
      const near = targets();
      const from = snapPress(press, near);
      return {
        move(now) {
          const to = kind === "circle" ? snapRadius(from, now, near) : snapPress(now, near);
          showDraft(newShape(kind, rowOf(from, to, now.shift)), now);
        },
        done(_, dragged) {
          const { draft } = live;
          if (dragged && draft) finish(draft);
          else clearGesture();
        },
        cancel: clearGesture,
      };
    },
    hover: (press) => void snapPress(press),
    leave: clearDraft,
    place() {
      const { at, half } = nextPlace();
      finish(newShape(kind, rowOf(...placedEnds(kind, at, half), false)));
    },
  };
}

/** @returns {[Point, Point]} */
function placedEnds(/** @type {Kind} */ kind, /** @type {Point} */ at, /** @type {number} */ half) {
  if (kind === "circle") return [at, plus(at, [half, 0])];
  if (kind === "wall") return [plus(at, [-half, 0]), plus(at, [half, 0])];
  return [plus(at, [-half, -half]), plus(at, [half, half])];
}

function clearDraft() {
  const busy = Boolean(live.draft || live.chain.length);
  clearGesture();
  return busy;
}

export const boxTool = dragTool(
  "box",
  { title: "Box", hotkey: "B", hint: "Drag to draw a box. Shift: square. Enter places one." },
  (from, to, shift) => {
    if (!shift) return rowBetween(from, to);
    const side = Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
    return rowBetween(from, plus(from, [side * Math.sign(to[0] - from[0] || 1), side * Math.sign(to[1] - from[1] || 1)]));
  },
);

export const circleTool = dragTool(
  "circle",
  { title: "Circle", hotkey: "C", hint: "Drag from the centre of a circle. Enter places one." },
  (from, to) => [...from, distance(from, to)],
);

const wallRow = (/** @type {Point} */ from, /** @type {Point} */ to, /** @type {boolean} */ shift) =>
  [...from, ...(shift ? snapDirection(from, to) : to), nextThickness()];

const draggedWall = dragTool(
  "wall",
  { title: "Wall", hotkey: "W", hint: "Drag along a wall, or click its two ends. Shift: angles of 15°. Enter places one." },
  wallRow,
);

/** The first end of a wall whose second one is still to be clicked. @type {Point | null} */
let clicked = null;

/** @type {Tool} */
export const wallTool = {
  ...draggedWall,
  press(press) {
    const from = clicked ?? snapPress(press);
    const near = targets();
    const draw = (/** @type {Press} */ now) => {
      const draft = newShape("wall", wallRow(from, snapPress(now, near), now.shift));
      showDraft(draft, now);
      return draft;
    };
    const second = clicked !== null;
    return {
      move: draw,
      done(now, dragged) {
        clicked = second || dragged ? null : from;
        if (second || dragged) finish(draw(now));
      },
      cancel: forget,
    };
  },
  hover(press) {
    const to = snapPress(press);
    if (!clicked) return;
    showDraft(newShape("wall", wallRow(clicked, to, press.shift)), press);
  },
  leave: forget,
};

function forget() {
  const busy = clicked !== null;
  clicked = null;
  return clearDraft() || busy;
}
