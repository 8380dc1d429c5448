/** The tubes on the canvas: the design, or in the panel Look its growth, beside it another design and other propagators. */

import { state } from "../store.js";
import { recordOf, shownGrowths } from "./growths.js";
import { canvasColour } from "./palette.js";
import { hasChanged } from "./changed.js";
import { paintCross } from "./cloudlayer.js";
import { COMPARED_DASH, comparedDesign } from "./compare.js";
import { designOf, isPlanning, stageDesign } from "./shown.js";
import { paintAsOne, paintNumbers, paintOutline, paintTube } from "./tubepaint.js";
import { courseOf } from "./tubeshape.js";

/** @typedef {import("../types.js").Design} Design */
/** @typedef {import("../types.js").Growth} Growth */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./tubeshape.js").Course} Course */

const KEPT = 16; // courses that are kept
const FAINT = 0.35; // opacity of a tube that was planned in another drawing

/** Dashes of other propagators, in the order of the server's list [px]. */
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 4]];

/** @type {Map<Point[], Course | null>} */
const courses = new Map();

/** The rounded centreline of joints, from a cache. */
function cachedCourse(/** @type {Point[]} */ line, /** @type {() => number[]} */ film, /** @type {number} */ radius) {
  if (!courses.has(line)) {
    for (const old of courses.keys()) if (courses.size >= KEPT) courses.delete(old);
    courses.set(line, courseOf(line, film(), radius));
  }
  return courses.get(line) ?? null;
}

/** The centreline of a design as predicted. */
export function designCourse(/** @type {Design} */ { line, film, radius }) {
  return cachedCourse(line, () => film, radius);
}

/** The centreline of a growth at the time of the film. */
export function growthCourse(/** @type {Growth} */ growth) {
  const record = recordOf(growth);
  const line = growth.joints[record];
  return cachedCourse(line, () => filmOf(line, growth.lengths[record]), designOf(growth.design)?.radius ?? 1);
}

/** Length of film at each joint: segments of the model are equally long on the film, except for the last one. */
function filmOf(/** @type {Point[]} */ line, /** @type {number} */ grown) {
  const segment = Number(state.run?.tube.segment_length_mm);
  const last = line.length - 1;
  if (segment > 0 && (last - 1) * segment < grown) return line.map((_, k) => (k < last ? k * segment : grown));
  let sum = 0;
  const along = line.map(([x, y], k) => (sum += k ? Math.hypot(x - line[k - 1][0], y - line[k - 1][1]) : 0));
  return along.map((length) => (length * grown) / (sum || 1));
}

/** The tube that the pointer can ask about: its centreline, its design, and its growth if it is one. */
export function mainTube() {
  const [growth] = shownGrowths();
  const design = growth ? designOf(growth.design) : stageDesign();
  const course = growth ? growthCourse(growth) : design && designCourse(design);
  return design && course ? { design, course, growth: growth ?? null } : null;
}

/** The dashes with which a propagator is drawn. */
export function dashOf(/** @type {string} */ propagator) {
  return DASHES[Math.max(state.known.propagators.indexOf(propagator), 0) % DASHES.length];
}

/** Paint the tubes. */
export function paintTubes(/** @type {CanvasRenderingContext2D} */ context) {
  const growths = shownGrowths();
  const tube = mainTube();
  if (tube) {
    const { course, design } = tube;
    // In the panel of trials the tube must not hide them.
    if (state.panel === "trust") paintOutline(context, course, design.sections, design.radius, { colour: canvasColour("ink"), width: 1 });
    else if (isEdited()) paintAsOne(context, (other) => paintTube(other, course, design.sections, design.radius), FAINT);
    else paintTube(context, course, design.sections, design.radius);
    if (!isEdited()) paintNumbers(context, course, design.sections, design.radius);
  }
  for (const growth of growths.slice(1)) {
    const [course, design] = [growthCourse(growth), designOf(growth.design)];
    if (!course || !design) continue;
    const same = growth.design === state.design;
    const look = { colour: canvasColour(same ? "ink" : "jumped"), width: same ? 1.2 : 1.8, dash: dashOf(growth.propagator) };
    paintOutline(context, course, design.sections, design.radius, look);
  }
  if (!growths.length) paintOther(context);
  paintCompared(context);
}

/** Return the tip of the main tube if it ends outside the goal: as predicted, or where its growth is shown to its end. */
export function missedTip() {
  const tube = mainTube();
  if (!tube) return null;
  const { growth, design } = tube;
  if (!growth) return design.missed ? (design.line.at(-1) ?? null) : null;
  const end = growth.joints.length - 1;
  return !growth.reached && recordOf(growth) === end ? (growth.joints[end].at(-1) ?? null) : null;
}

/** Cross out the tip of a tube that misses the goal. */
export function paintMissedTip(/** @type {CanvasRenderingContext2D} */ context) {
  const tip = isEdited() ? null : missedTip();
  if (tip) paintCross(context, tip[0], tip[1], 8);
}

/** The other design as predicted, until it has grown. */
function paintOther(/** @type {CanvasRenderingContext2D} */ context) {
  const other = state.panel === "look" ? designOf(state.other) : null;
  const course = other && designCourse(other);
  if (course) paintOutline(context, course, other.sections, other.radius, { colour: canvasColour("jumped"), width: 1.8 });
}

/** The design of the run that is compared. */
function paintCompared(/** @type {CanvasRenderingContext2D} */ context) {
  const other = state.panel === "plan" && !isPlanning() ? comparedDesign() : null;
  const course = other && designCourse(other);
  const look = { colour: canvasColour("jumped"), width: 1.8, dash: COMPARED_DASH };
  if (course) paintOutline(context, course, other.sections, other.radius, look);
}

/** Return whether the drawing is being edited and is no longer the drawing of the tube. */
export function isEdited() {
  return !isPlanning() && hasChanged();
}
