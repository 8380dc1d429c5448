/** The trials as a cloud: thin lines, and where they ended. Those that missed are on top, since they say where the design fails. */

import { state } from "../store.js";
import { pixels } from "../view.js";
import { hasChanged } from "./changed.js";
import { canvasColour } from "./palette.js";
import { isPlanning, shownTrials } from "./shown.js";

/** @typedef {import("../types.js").Point} Point */

/** The paths of the trials that were painted last; more trials of the same cloud are added to them. */
const drawn = {
  first: /** @type {Point[] | null} */ (null),
  count: 0,
  paths: [new Path2D(), new Path2D()],
  tips: /** @type {Point[][]} */ ([[], []]),
  /** Whether a trial has no line: its base was outside the bounds or in an obstacle. */
  isEmpty: false,
};
const AT_START = 9; // half of the width of the cross over the start [px]

/** The trials of the open panel: the trials of the plan, or the last trials. */
export function trialsOf(/** @type {string} */ panel) {
  if (panel === "trust") return shownTrials();
  return panel === "plan" && !isPlanning() && !hasChanged() && state.design === "best" ? (state.run?.trials ?? null) : null;
}

/** Return whether a cloud is visible. */
function isShown() {
  const trials = trialsOf(state.panel);
  if (!trials?.lines.length) return false;
  update(trials);
  return true;
}

/** Paint the lines, which lie beneath the tube. */
export function paintCloud(/** @type {CanvasRenderingContext2D} */ context) {
  if (!isShown()) return;
  context.lineJoin = "round";
  stroke(context, 1, "goal", 0.5, []);
  stroke(context, 0, "missed", 0.85, [pixels(5), pixels(2.5)]);
}

/** Paint the ends of the trials, which the tube must not hide. */
export function paintTips(/** @type {CanvasRenderingContext2D} */ context) {
  if (!isShown()) return;
  for (const [x, y] of drawn.tips[1]) paintDot(context, x, y);
  for (const [x, y] of drawn.tips[0]) paintCross(context, x, y);
  const start = state.run?.content.start.position;
  // It reaches beyond the dot of the base, which lies over it.
  if (drawn.isEmpty && start) paintCross(context, start[0], start[1], AT_START);
}

function update(/** @type {{lines: Point[][], reached: boolean[]}} */ { lines, reached }) {
  if (drawn.first !== lines[0] || drawn.count > lines.length) {
    drawn.first = lines[0];
    drawn.count = 0;
    drawn.paths = [new Path2D(), new Path2D()];
    drawn.tips = [[], []];
    drawn.isEmpty = false;
  }
  for (; drawn.count < lines.length; drawn.count += 1) {
    const line = lines[drawn.count];
    const kind = reached[drawn.count] ? 1 : 0;
    line.forEach(([x, y], k) => (k ? drawn.paths[kind].lineTo(x, y) : drawn.paths[kind].moveTo(x, y)));
    const tip = line.at(-1);
    if (tip) drawn.tips[kind].push(tip);
    else drawn.isEmpty = true;
  }
}

function stroke(
  /** @type {CanvasRenderingContext2D} */ context, /** @type {0 | 1} */ kind, /** @type {string} */ colour, /** @type {number} */ alpha,
  /** @type {number[]} */ dash,
) {
  context.globalAlpha = alpha;
  context.strokeStyle = canvasColour(colour);
  context.lineWidth = pixels(1);
  context.setLineDash(dash);
  context.stroke(drawn.paths[kind]);
  context.globalAlpha = 1;
  context.setLineDash([]);
}

function paintDot(/** @type {CanvasRenderingContext2D} */ context, /** @type {number} */ x, /** @type {number} */ y) {
  context.beginPath();
  context.arc(x, y, pixels(2.6), 0, 2 * Math.PI);
  context.fillStyle = canvasColour("goal");
  context.fill();
  context.strokeStyle = canvasColour("paper");
  context.lineWidth = pixels(0.6);
  context.stroke();
}

/** Cross out a tip that misses the goal; `size` is half of its width [px]. */
export function paintCross(
  /** @type {CanvasRenderingContext2D} */ context, /** @type {number} */ x, /** @type {number} */ y, size = 3.4,
) {
  const r = pixels(size);
  context.beginPath();
  context.moveTo(x - r, y - r);
  context.lineTo(x + r, y + r);
  context.moveTo(x - r, y + r);
  context.lineTo(x + r, y - r);
  context.strokeStyle = canvasColour("paper");
  context.lineWidth = pixels(3.6);
  context.stroke();
  context.strokeStyle = canvasColour("missed");
  context.lineWidth = pixels(2);
  context.stroke();
}
