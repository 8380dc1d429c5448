/** A tube on the canvas at true width: coloured sections, the cells of their actuators beside it, an outline for each strand, and the tip. */

import { pixels } from "../view.js";
import { canvasColour } from "./palette.js";
import { cellsOf, lengthOf, partsOf, placeAt, strandEnds } from "./tubeshape.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Section} Section */
/** @typedef {import("./tubeshape.js").Course} Course */
/** @typedef {import("./tubeshape.js").Part} Part */
/** @typedef {{path: Path2D, parts: {path: Path2D, cells: Path2D | null, seam: Path2D | null, section: Section}[], tip: Part | null}} Strand */

const EDGE = 1; // width of the outline [px]
const SMALL = 11; // a tube narrower than this [px] has no numbers on it

/** @type {WeakMap<Course, Strand[]>} */
const shapes = new WeakMap();

/** Paint a tube. */
export function paintTube(
  /** @type {CanvasRenderingContext2D} */ context, /** @type {Course} */ course, /** @type {readonly Section[]} */ sections,
  /** @type {number} */ radius,
) {
  context.save();
  context.lineJoin = "round";
  for (const strand of strandsOf(course, sections, radius)) paintStrand(context, strand, radius);
  const end = placeAt(course, lengthOf(course)).point;
  context.fillStyle = canvasColour("ink");
  context.fill(discPath(end, Math.max(0.14 * radius, pixels(1.5))));
  context.restore();
}

/** @returns {Strand[]} */
function strandsOf(/** @type {Course} */ course, /** @type {readonly Section[]} */ sections, /** @type {number} */ radius) {
  const found = shapes.get(course);
  if (found) return found;
  const ends = strandEnds(course, radius);
  const strands = ends.slice(1).map((end, k) => {
    const parts = partsOf(course, sections, ends[k], end);
    const last = k === ends.length - 2 ? (parts.at(-1) ?? null) : null;
    return { path: pathOf(parts.flatMap((part) => part.course.points)), parts: parts.map((part) => pathsOfPart(part, sections, radius)), tip: last };
  });
  shapes.set(course, strands);
  return strands;
}

function pathsOfPart(/** @type {Part} */ part, /** @type {readonly Section[]} */ sections, /** @type {number} */ radius) {
  const section = sections[part.section];
  const cells = section.profile ? pathOf(cellsOf(part.course, section.profile), true) : null;
  return { path: pathOf(part.course.points), cells, seam: part.begins ? seamPath(part.course, radius) : null, section };
}

/** The path along points. */
export function pathOf(/** @type {readonly Point[]} */ points, closed = false) {
  const path = new Path2D();
  points.forEach(([x, y], k) => (k ? path.lineTo(x, y) : path.moveTo(x, y)));
  if (closed) path.closePath();
  return path;
}

/** The line across the beginning of a part. */
function seamPath(/** @type {Course} */ { points, heading }, /** @type {number} */ radius) {
  const [x, y] = points[0];
  const [u, v] = [-Math.sin(heading[0]) * radius, Math.cos(heading[0]) * radius];
  return pathOf([[x + u, y + v], [x - u, y - v]]);
}

function discPath(/** @type {Point} */ [x, y], /** @type {number} */ radius) {
  const path = new Path2D();
  path.arc(x, y, radius, 0, 2 * Math.PI);
  return path;
}

/** The half disc at the end of a part. */
function capPath(/** @type {Part} */ { course }, /** @type {number} */ radius) {
  const end = course.points.length - 1;
  const [[x, y], heading] = [course.points[end], course.heading[end]];
  const path = new Path2D();
  path.arc(x, y, radius, heading - Math.PI / 2, heading + Math.PI / 2);
  return path;
}

function paintStrand(/** @type {CanvasRenderingContext2D} */ context, /** @type {Strand} */ strand, /** @type {number} */ radius) {
  paintEdge(context, strand, radius, canvasColour("ink"));
  for (const { path, section } of strand.parts) {
    context.strokeStyle = canvasColour(`tube-${section.pressurised ? section.side : "none"}`);
    context.lineWidth = 2 * radius;
    context.stroke(path);
  }
  const last = strand.parts.at(-1);
  if (strand.tip && last) {
    context.fillStyle = canvasColour(`tube-${last.section.pressurised ? last.section.side : "none"}`);
    // A little beyond the middle, so that there is no slit between the tube and its end.
    context.fill(capPath(strand.tip, radius));
    context.fill(discPath(strand.tip.course.points[strand.tip.course.points.length - 1], 0.5 * radius));
  }
  for (const { cells, section } of strand.parts) if (cells) paintCells(context, cells, section);
  context.strokeStyle = canvasColour("ink");
  context.lineWidth = pixels(EDGE);
  for (const { seam } of strand.parts) if (seam) context.stroke(seam);
}

function paintCells(/** @type {CanvasRenderingContext2D} */ context, /** @type {Path2D} */ cells, /** @type {Section} */ section) {
  if (section.pressurised) {
    context.fillStyle = canvasColour(`actuator-${section.side}`);
    context.fill(cells);
    return;
  }
  // An actuator without pressure is hollow.
  context.strokeStyle = canvasColour("faint");
  context.lineWidth = pixels(EDGE);
  context.stroke(cells);
}

/** Paint the whole strand a little wider: what stays visible beneath its parts is its edge. */
function paintEdge(
  /** @type {CanvasRenderingContext2D} */ context, /** @type {Strand} */ strand, /** @type {number} */ radius, /** @type {string} */ colour, wide = EDGE,
) {
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 2 * (radius + pixels(wide));
  context.stroke(strand.path);
  if (strand.tip) context.fill(capPath(strand.tip, radius + pixels(wide)));
}

// ---- outlines ----

const scratch = document.createElement("canvas");

/** Paint on another canvas first and then all at once, so that parts which lie on each other are seen as one. */
export function paintAsOne(
  /** @type {CanvasRenderingContext2D} */ context, /** @type {(context: CanvasRenderingContext2D) => void} */ paint, alpha = 1,
) {
  const { width, height } = context.canvas;
  if (scratch.width !== width || scratch.height !== height) [scratch.width, scratch.height] = [width, height];
  const other = scratch.getContext("2d");
  if (!other || !width || !height) return;
  other.setTransform(1, 0, 0, 1, 0, 0);
  other.clearRect(0, 0, width, height);
  other.setTransform(context.getTransform());
  paint(other);
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.globalAlpha = alpha;
  context.drawImage(scratch, 0, 0);
  context.restore();
}

/** Paint only the outline of a tube, so that what lies beneath it can be seen. */
export function paintOutline(
  /** @type {CanvasRenderingContext2D} */ context, /** @type {Course} */ course, /** @type {readonly Section[]} */ sections,
  /** @type {number} */ radius, /** @type {{colour: string, width: number, dash?: number[]}} */ { colour, width, dash = [] },
) {
  paintAsOne(context, (other) => {
    other.save();
    other.lineJoin = "round";
    for (const strand of strandsOf(course, sections, radius)) {
      other.setLineDash(dash.map(pixels));
      paintEdge(other, strand, radius, colour, width);
      other.setLineDash([]);
      other.globalCompositeOperation = "destination-out";
      paintEdge(other, strand, radius, "#000", 0);
      other.globalCompositeOperation = "source-over";
    }
    other.restore();
  });
}

// ---- numbers ----

/** Paint the numbers of the actuated sections on the tube. */
export function paintNumbers(
  /** @type {CanvasRenderingContext2D} */ context, /** @type {Course} */ course, /** @type {readonly Section[]} */ sections, /** @type {number} */ radius,
) {
  if (2 * radius < pixels(SMALL)) return;
  const size = Math.min(pixels(8), 0.62 * radius);
  const length = lengthOf(course);
  sections.filter((section) => section.side !== "none").forEach((section, k) => {
    if (section.start_mm >= length) return;
    const { point } = placeAt(course, (section.start_mm + Math.min(section.end_mm, length)) / 2);
    context.fillStyle = canvasColour(section.pressurised ? `actuator-${section.side}` : "faint");
    context.fill(discPath(point, size));
    context.save();
    context.translate(...point);
    // Text is upright where y points down.
    context.scale(1, -1);
    context.fillStyle = canvasColour("paper");
    context.font = `600 ${1.3 * size}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(String(k + 1), 0, 0.08 * size);
    context.restore();
  });
}
