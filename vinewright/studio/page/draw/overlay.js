/** Layer above the drawing whose parts keep their size on the screen: handles, dimensions, marks. */

import { byId, svg } from "../dom.js";
import { state, subscribe } from "../store.js";
import { toStage } from "../view.js";
import { angle, boxCorners, direction, distance, plus } from "./geometry.js";
import { isEditable } from "./editing.js";
import { handlesOf } from "./handles.js";
import { discHits } from "./hit.js";
import { live, whenShown } from "./live.js";
import { angleText, lengthWithUnit } from "./measures.js";
import { pictureHandles } from "./background.js";
import { pathOf } from "./outline.js";
import { sortCorners } from "./picture.js";
import { drawDimension, drawLabel, drawNarrowing } from "./overlay_parts.js";
import { tubeRadius, worldTransform } from "./scene.js";
import { extentOf } from "./shapes.js";
import { placeStart, makeStartSymbol } from "./symbols.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./handles.js").Handle} Handle */

const SHOWN_PASSAGES = 3;
const overlay = svg("g", { class: "overlay" });
let waiting = false;

/** Keep the overlay up to date. */
export function mountOverlay() {
  byId("drawing", SVGSVGElement).append(overlay);
  subscribe(["view", "doc", "selection", "check", "tube", "tool", "unit", "panel", "background"], refresh);
  whenShown(refresh);
}

/** Draw in the next frame, once for all changes until then. */
function refresh() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    PARTS.forEach((part, k) => update(groups[k], part()));
  });
}

/** Parts of the overlay, the lowest first. @type {(() => SVGElement[])[]} */
const PARTS = [drawPoseMarks, drawPassages, drawTubeDisc, drawDraft, drawExtent, drawGuides, drawHandles, drawDimensions, drawMarks];
const groups = PARTS.map(() => svg("g"));
overlay.append(...groups);

/** Show elements in a group; those that are there already stay, so that a handle under the pointer is not replaced. */
function update(/** @type {SVGGElement} */ group, /** @type {SVGElement[]} */ elements) {
  elements.forEach((element, k) => {
    const present = group.children[k];
    if (!present) group.append(element);
    else if (!present.isEqualNode(element)) present.replaceWith(element);
  });
  while (group.children.length > elements.length) group.lastElementChild?.remove();
}

/** The present handles. */
export function currentHandles() {
  return handlesOf(state.doc, state.selection, state.view.scale, tubeRadius());
}

/** A line on the stage through points of the drawing. */
function drawPath(/** @type {string} */ className, /** @type {Point[]} */ points, closed = false) {
  const places = points.map((point) => toStage(point).map((value) => value.toFixed(1)).join(" "));
  return svg("path", { class: className, d: places.length ? `M${places.join("L")}${closed ? "Z" : ""}` : "" });
}

/** Base and goal at a size that is visible however far one zooms out. */
function drawPoseMarks() {
  const { start, goal } = state.doc;
  const [sx, sy] = toStage(start.position);
  const [gx, gy] = toStage(goal.position);
  const marks = [
    svg("path", { class: "goal-centre", d: `M${gx - 5} ${gy}H${gx + 5}M${gx} ${gy - 5}V${gy + 5}` }),
    svg("circle", { class: "start-centre", cx: sx, cy: sy, r: 3.5 }),
  ];
  // The symbol at true width has an arrow of its own, unless it is too small to see.
  if (tubeRadius() * state.view.scale < 8) {
    const [dx, dy] = direction(start.heading_deg);
    marks.push(svg("path", { class: "start-line", d: `M${sx} ${sy}L${sx + 22 * dx} ${sy - 22 * dy}` }));
  }
  return marks;
}

function drawPassages() {
  const found = state.check?.passages ?? [];
  const shown = found.filter((passage, k) => passage.narrow || (live.passages && k < SHOWN_PASSAGES));
  /** @type {import("./geometry.js").Box[]} */
  const taken = [];
  return shown.map(({ ends, width, narrow }) => drawNarrowing(ends, lengthWithUnit(width), narrow, taken));
}

function drawTubeDisc() {
  const [at, radius] = [live.pointer, tubeRadius()];
  if (!live.tubeWidth || !at) return [];
  const [x, y] = toStage(at);
  const name = discHits(state.doc, at, radius) ? "tube-disc blocked" : "tube-disc";
  const below = /** @type {Point} */ ([x, y + radius * state.view.scale + 14]);
  return [svg("circle", { class: name, cx: x, cy: y, r: radius * state.view.scale }), drawLabel(below, lengthWithUnit(2 * radius))];
}

function drawDraft() {
  const made = [];
  const world = svg("g", { transform: worldTransform() });
  if (live.draft) {
    world.append(svg("path", { class: "draft", "vector-effect": "non-scaling-stroke", d: pathOf(live.draft, state.doc.ends) }));
    made.push(world);
  }
  if (live.ghost) {
    const ghost = makeStartSymbol("ghost");
    placeStart(ghost, live.ghost, tubeRadius());
    world.append(ghost);
    made.push(world);
  }
  if (live.chain.length) {
    made.push(drawPath("draft", live.chain, live.chain.length > 3));
    for (const corner of live.chain.slice(0, -1)) made.push(drawDot("draft-corner", corner, 3.5));
  }
  return made;
}

function drawDot(/** @type {string} */ className, /** @type {Point} */ at, /** @type {number} */ radius) {
  const [x, y] = toStage(at);
  return svg("circle", { class: className, cx: x, cy: y, r: radius });
}

/** The box around several selected objects. */
function drawExtent() {
  const box = state.selection.size > 1 && isEditable() ? extentOf(state.doc, state.selection) : null;
  return box ? [drawPath("extent", boxCorners(box), true)] : [];
}

function drawGuides() {
  return live.guides.map(({ from, to, centre }) => drawPath(centre ? "guide centre" : "guide", [from, to]));
}

function drawHandles() {
  if (state.tool === "background") return pictureHandles().map(drawHandle);
  if (state.tool !== "select" || live.marquee || live.moving || !isEditable()) return [];
  return currentHandles().map(drawHandle);
}

function drawHandle(/** @type {Pick<Handle, "name" | "kind" | "at" | "away" | "cursor" | "title"> & Partial<Handle>} */ one) {
  const foot = toStage(one.at);
  const [x, y] = one.away ? plus(foot, one.away) : foot;
  const active = one.kind === "corner" && one.corner !== undefined && one.corner === live.corner;
  const group = svg("g", { class: `handle ${one.kind}${active ? " active" : ""}`, "data-handle": one.name });
  if (one.away) group.append(svg("path", { class: "stem", d: `M${foot[0]} ${foot[1]}L${x} ${y}` }));
  if (one.kind === "heading") group.append(drawPath("stem", [state.doc.start.position, one.at]));
  const title = svg("title");
  title.textContent = one.title;
  const round = ["insert", "radius", "heading", "turn"].includes(one.kind);
  const half = one.kind === "insert" ? 3 : round ? 5 : 4;
  const knob = round
    ? svg("circle", { class: "knob", cx: x, cy: y, r: half })
    : svg("rect", { class: "knob", x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: 1 });
  const reach = one.kind === "insert" ? 6 : 9;
  const grip = svg("circle", { class: "grip", cx: x, cy: y, r: reach }, title);
  grip.style.cursor = one.cursor;
  group.append(knob, grip);
  return group;
}

function drawDimensions() {
  /** @type {import("./geometry.js").Box[]} */
  const taken = [];
  return live.dimensions.map((one) => drawDimension(one, taken));
}

/** Draw the target of a snap, the picked points of the scale, and the rectangle that selects. */
function drawMarks() {
  const made = [];
  if (live.snapped && !["grid", "none"].includes(live.snapped.kind)) {
    const [x, y] = toStage(live.snapped.at);
    const signs = { corner: "m-5 -5h10v10h-10Z", middle: "m0 -6l6 10h-12Z", centre: "m-6 0h12m-6 -6v12" };
    const kind = /** @type {"corner" | "middle" | "centre"} */ (live.snapped.kind);
    made.push(svg("path", { class: "snap-mark", "data-snap": kind, d: `M${x} ${y}${signs[kind]}` }));
  }
  if (live.picks) {
    const [from, to] = live.picks;
    const isArea = live.picking === "corners";
    if (isArea) made.push(drawPath("picked", live.picks.length > 2 ? sortCorners(live.picks) : live.picks, live.picks.length > 3));
    else if (to && distance(from, to)) {
      const text = live.picking === "level" ? angleText(angle(from, to)) : lengthWithUnit(distance(from, to));
      made.push(drawDimension({ from, to, text }));
    }
    for (const pick of live.picks) {
      const [x, y] = toStage(pick);
      made.push(svg("path", { class: "pick", d: `M${x - 8} ${y}h16m-8 -8v16` }));
      made.push(svg("circle", { class: "pick", cx: x, cy: y, r: 5 }));
    }
  }
  if (live.marquee) {
    const [[x0, y0], [x1, y1]] = [live.marquee.from, live.marquee.to];
    const box = { x: Math.min(x0, x1), y: Math.min(y0, y1), width: Math.abs(x1 - x0), height: Math.abs(y1 - y0) };
    made.push(svg("rect", { class: x1 < x0 ? "marquee touching" : "marquee", ...box }));
  }
  return made;
}
