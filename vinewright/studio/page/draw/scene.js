/**
 * The drawing as SVG, in millimetres: bounds and obstacles beneath the tubes on the canvas, goal and start over them. Only what changed
 * touches the page: objects are compared by identity.
 */

import { byId, svg } from "../dom.js";
import { state, subscribe } from "../store.js";
import { size } from "../view.js";
import { problemObject } from "./check.js";
import { isEditable } from "./editing.js";
import { live, whenShown } from "./live.js";
import { pathOf } from "./outline.js";
import { placeStart, makeStartSymbol } from "./symbols.js";

/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {{shape: Shape, ends: string, element: SVGPathElement}} Drawn */

const THIN = { "vector-effect": "non-scaling-stroke" };
const FALLBACK_RADIUS = 33.35; // of the prototype, until the tube is known [mm]

/** @type {Map<number, Drawn>} */
const drawn = new Map();
const shapes = svg("g", { class: "shapes" });
const bounds = svg("rect", { class: "object bounds", "data-object": "bounds", ...THIN });
const goal = svg("circle", { class: "object goal", "data-object": "goal", ...THIN });
const start = makeStartSymbol("object start");
const [solids, world] = [svg("g", { class: "world" }, bounds, shapes), svg("g", { class: "world" }, goal, start)];

/** The objects that carry each mark now. @type {Map<string, ReadonlySet<number | string>>} */
const marked = new Map();

/** Radius of the tube [mm]. */
export function tubeRadius() {
  return state.tube?.radius ?? FALLBACK_RADIUS;
}

/** Show the drawing, and keep it up to date. */
export function mountScene() {
  start.setAttribute("data-object", "start");
  byId("solids", SVGSVGElement).append(solids);
  byId("drawing", SVGSVGElement).append(world);
  subscribe(["view"], placeWorld);
  subscribe(["doc"], drawShapes);
  subscribe(["doc", "tube"], drawPoses);
  subscribe(["selection", "panel"], () => mark("selected", isEditable() ? state.selection : new Set()));
  subscribe(["check"], markProblem);
  let hovered = live.hover;
  whenShown(() => {
    if (hovered !== live.hover) mark("hover", new Set(live.hover === null ? [] : [live.hover]));
    hovered = live.hover;
  });
}

/** The transformation from the drawing to the stage. */
export function worldTransform() {
  const { x, y, scale } = state.view;
  return `matrix(${scale} 0 0 ${-scale} ${size.width / 2 - x * scale} ${size.height / 2 + y * scale})`;
}

function placeWorld() {
  for (const group of [solids, world]) group.setAttribute("transform", worldTransform());
}

/** @type {readonly Shape[]} */
let before = [];
let endsBefore = "";

function drawShapes() {
  const { doc } = state;
  if (doc.shapes === before && doc.ends === endsBefore) return;
  [before, endsBefore] = [doc.shapes, doc.ends];
  const kept = new Set(doc.shapes.map((shape) => shape.id));
  for (const [id, { element }] of drawn) {
    if (kept.has(id)) continue;
    element.remove();
    drawn.delete(id);
  }
  const known = drawn.size;
  /** @type {Element | null} */
  let last = null;
  for (const shape of doc.shapes) {
    const element = drawShape(shape, doc.ends);
    // The order of the elements is that of the shapes; in nearly all cases it already is.
    if (element.previousElementSibling !== last || !element.parentNode) {
      shapes.insertBefore(element, last ? last.nextSibling : shapes.firstChild);
    }
    last = element;
  }
  // New elements have no marks yet, as those of shapes that undo brings back.
  if (drawn.size > known) for (const [name, ids] of marked) mark(name, ids);
}

function drawShape(/** @type {Shape} */ shape, /** @type {string} */ ends) {
  const found = drawn.get(shape.id);
  if (found?.shape === shape && (found.ends === ends || shape.kind !== "wall")) return found.element;
  const element = found?.element ?? svg("path", { "data-object": shape.id, ...THIN });
  element.setAttribute("d", pathOf(shape, ends));
  if (!found) element.setAttribute("class", "object shape");
  element.setAttribute("data-kind", shape.kind);
  element.classList.toggle("bare", shape.kind === "wall" && !shape.row[4]);
  element.classList.toggle("hidden", shape.hidden);
  element.classList.toggle("locked", shape.locked);
  drawn.set(shape.id, { shape, ends, element });
  return element;
}

function drawPoses() {
  const { bounds: area, goal: disc, start: pose } = state.doc;
  bounds.setAttribute("x", String(area.min[0]));
  bounds.setAttribute("y", String(area.min[1]));
  bounds.setAttribute("width", String(Math.max(area.max[0] - area.min[0], 0)));
  bounds.setAttribute("height", String(Math.max(area.max[1] - area.min[1], 0)));
  bounds.setAttribute("data-edge", area.edge);
  goal.setAttribute("cx", String(disc.position[0]));
  goal.setAttribute("cy", String(disc.position[1]));
  goal.setAttribute("r", String(Math.max(disc.radius, 0)));
  placeStart(start, pose, tubeRadius());
}

// ---- marks ----

/** @returns {Element | undefined} */
function elementOf(/** @type {number | string} */ id) {
  if (typeof id === "number") return drawn.get(id)?.element;
  return { start, goal, bounds }[id];
}


function mark(/** @type {string} */ name, /** @type {ReadonlySet<number | string>} */ ids) {
  const old = marked.get(name) ?? new Set();
  for (const id of old) if (!ids.has(id)) elementOf(id)?.classList.remove(name);
  for (const id of ids) elementOf(id)?.classList.add(name);
  marked.set(name, ids);
}

function markProblem() {
  const id = problemObject();
  mark("wrong", new Set(id === null || id === "environment" ? [] : [id]));
}
