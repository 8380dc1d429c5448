/** Measured tips over the prediction, and the tube as a proposal would set it. */

import { state } from "../store.js";
import { pixels } from "../view.js";
import { builtOf, shownAdapting } from "./built.js";
import { paintCross } from "./cloudlayer.js";
import { canvasColour } from "./palette.js";
import { draft } from "./tried.js";
import { designCourse } from "./tubelayer.js";
import { paintOutline } from "./tubepaint.js";

/** @typedef {import("../types.js").Point} Point */

const SIZE = 6; // half of the width of a mark [px]
const DASH = [8, 4]; // of the tube as it would be set [px]

/** The proposal that is drawn. */
export function drawnProposal() {
  const adapting = shownAdapting();
  return adapting && adapting.chosen !== null ? (adapting.proposals[adapting.chosen] ?? null) : null;
}

/** Paint them, in the panel Trust. */
export function paintBuilt(/** @type {CanvasRenderingContext2D} */ context) {
  if (state.panel !== "trust" || !state.run) return;
  const proposal = drawnProposal();
  if (proposal) {
    const { design, tips } = proposal;
    for (const tip of tips) paintSpot(context, tip);
    const course = designCourse(design);
    if (course) paintOutline(context, course, design.sections, design.radius, { colour: canvasColour("jumped"), width: 2, dash: DASH });
  }
  for (const { at, reached } of builtOf()?.tips ?? []) paintMeasured(context, at, reached);
  if (draft.x !== null && draft.y !== null) paintAsked(context, [draft.x, draft.y]);
}

function paintSpot(/** @type {CanvasRenderingContext2D} */ context, /** @type {Point} */ [x, y]) {
  context.globalAlpha = 0.5;
  context.beginPath();
  context.arc(x, y, pixels(2), 0, 2 * Math.PI);
  context.fillStyle = canvasColour("jumped");
  context.fill();
  context.globalAlpha = 1;
}

/**
 * A disc for a growth that reached the goal, a cross for one that missed it, a square on its corner if that is not known: each on paper in
 * a ring, so that it is seen among the tips of trials.
 */
function paintMeasured(/** @type {CanvasRenderingContext2D} */ context, /** @type {Point} */ at, /** @type {boolean | null} */ reached) {
  const [x, y] = at;
  const r = pixels(SIZE);
  paintRing(context, at, r + pixels(4), "ink", [], true);
  if (reached === false) return paintCross(context, x, y, SIZE - 1);
  context.beginPath();
  if (reached) context.arc(x, y, r, 0, 2 * Math.PI);
  else [[r, 0], [0, r], [-r, 0], [0, -r]].forEach(([dx, dy], k) => (k ? context.lineTo(x + dx, y + dy) : context.moveTo(x + dx, y + dy)));
  context.closePath();
  context.fillStyle = canvasColour(reached ? "goal" : "accent");
  context.fill();
}

/** The tip that is in the form and not yet added. */
function paintAsked(/** @type {CanvasRenderingContext2D} */ context, /** @type {Point} */ at) {
  paintRing(context, at, pixels(SIZE + 4), "ink", [3, 3]);
}

function paintRing(
  /** @type {CanvasRenderingContext2D} */ context, /** @type {Point} */ [x, y], /** @type {number} */ r, /** @type {string} */ colour, /** @type {number[]} */ dash,
  isFilled = false,
) {
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.fillStyle = canvasColour("paper");
  if (isFilled) context.fill();
  context.strokeStyle = canvasColour(colour);
  context.lineWidth = pixels(1.5);
  context.setLineDash(dash.map(pixels));
  context.stroke();
  context.setLineDash([]);
}
