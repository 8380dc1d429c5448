/** The weakest place: a halo around its obstacles, or along its section. */

import { state } from "../store.js";
import { pixels } from "../view.js";
import { obstacleNames, outlinePath, solidsOf } from "./obstacles.js";
import { canvasColour } from "./palette.js";
import { actuatedOf, chosenDesign, ownTrials } from "./shown.js";
import { designCourse } from "./tubelayer.js";
import { paintOutline } from "./tubepaint.js";
import { cutCourse, lengthOf } from "./tubeshape.js";

/** @typedef {import("../types.js").Design} Design */
/** @typedef {import("./tubeshape.js").Course} Course */

const WIDTH = 5; // of the halo [px]

/** @type {{whole: Course | null, part: Course | null, section: number}} */
let last = { whole: null, part: null, section: 0 };

/** The weakest place of the trials that are shown. */
export function weakestPlace() {
  const trials = ownTrials();
  return trials && !trials.busy ? trials.weakest : null;
}

/** Paint the halo, in the panel Trust. */
export function paintMarks(/** @type {CanvasRenderingContext2D} */ context) {
  const weakest = weakestPlace();
  if (!weakest || !state.run || state.panel !== "trust") return;
  const names = obstacleNames(state.run.content);
  const marked = solidsOf(state.run.content).filter((_, k) => weakest.obstacles.includes(names[k]));
  // Half of the line is beneath the obstacle, which lies on the canvas.
  context.lineWidth = pixels(2 * WIDTH);
  context.lineJoin = "round";
  context.strokeStyle = canvasColour("overlap");
  for (const solid of marked) context.stroke(outlinePath(solid));
  const design = chosenDesign();
  if (weakest.section && design) paintSection(context, design, weakest.section);
}

function paintSection(/** @type {CanvasRenderingContext2D} */ context, /** @type {Design} */ design, /** @type {number} */ number) {
  const [section, course] = [actuatedOf(design)[number - 1], designCourse(design)];
  if (!section || !course || section.start_mm >= lengthOf(course)) return;
  if (last.whole !== course || last.section !== number) {
    last = { whole: course, part: cutCourse(course, section.start_mm, Math.min(section.end_mm, lengthOf(course))), section: number };
  }
  if (!last.part) return;
  paintOutline(context, last.part, [section], design.radius, { colour: canvasColour("overlap"), width: WIDTH });
}
