/** The preview of an import: two clicks set the scale, others place the start and the goal. */

import { el, svg } from "../dom.js";
import { freeNumberField, lengthOptions, positiveFault } from "./fields.js";
import { angle, boxContains, boxCorners, distance, joinBoxes, times } from "./geometry.js";
import { lengthWithUnit } from "./measures.js";
import { boxOf, cornersOf } from "./outline.js";
import { docOf } from "./shapes.js";
import { thumbnail } from "./thumbnail.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Content} Content */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("./import.js").Found} Found */
/** @typedef {{mm: number, units: number}} Known */
/** @typedef {"scale" | "start" | "goal"} Mode */
/** @typedef {{start: Point | null, goal: Point | null, heading: number | null}} Placed */

const NEAR = 10; // distance at which a point snaps to a corner [px]
const DRAG = 6; // a press that moves less is a click [px]
const MARK = 7; // half of a cross [px]
const EDGE = 0.05; // margin around the obstacles, as a share of their size
/** @type {Record<Mode, string>} */
const TITLES = { scale: "Scale by two points", start: "Place the start", goal: "Place the goal" };
/** @type {Record<Mode, string>} */
const HINTS = {
  scale: "Click two points whose distance you know.", start: "Click where the tube starts; drag to set its heading.",
  goal: "Click the centre of the goal.",
};

/** The preview of one import, which lasts from one reading of the file to the next. */
export class ImportPreview {
  /** @param {(known: Known) => void} setScale called with a length that is known */
  constructor(setScale) {
    this.setScale = setScale;
    this.figure = el("div", { class: "import-figure" });
    this.modes = el("div", { class: "row buttons", role: "group", "aria-label": "Clicks in the preview" });
    this.hint = el("div", { class: "import-hint", role: "status" });
    this.element = el("div", {}, this.figure, this.modes, this.hint);
    /** @type {Found | null} */
    this.found = null;
    /** @type {Mode | null} */
    this.mode = null;
    /** @type {Point[]} */
    this.picks = [];
    /** @type {Placed} */
    this.placed = { start: null, goal: null, heading: null };
    /** @type {Point[]} */
    this.corners = [];
    this.drawn = ""; // the part of the picture with obstacles
  }

  /** Show what was found; what was placed keeps its place in the drawing if the scale is another one. */
  show(/** @type {Found} */ found) {
    const ratio = found.mm_per_unit && this.found?.mm_per_unit ? found.mm_per_unit / this.found.mm_per_unit : 1;
    const { bounds } = found.content;
    const { shapes } = docOf(found.content);
    this.drawn = viewBoxOf(shapes.length ? shapes.map(boxOf).reduce(joinBoxes) : bounds);
    const moved = (/** @type {Point | null} */ at) => (at && boxContains(bounds, times(at, ratio)) ? times(at, ratio) : null);
    this.placed = { ...this.placed, start: moved(this.placed.start), goal: moved(this.placed.goal) };
    this.found = found;
    this.corners = [...shapes.flatMap(cornersOf), ...boxCorners(bounds)];
    const offered = /** @type {Mode[]} */ (found.mm_per_unit ? ["scale", "start", "goal"] : ["start", "goal"]);
    this.modes.replaceChildren(
      ...offered.map((mode) => el("button", { type: "button", "data-mode": mode, onclick: () => this.choose(mode) }, TITLES[mode])),
    );
    this.choose(null);
  }

  /** What was found, with start and goal as they were placed. @returns {Found} */
  result() {
    if (!this.found) throw new Error("there is no preview");
    const { content, missing } = this.found;
    const { start, goal, heading } = this.placed;
    const [from, to] = [start ?? content.start.position, goal ?? content.goal.position];
    // A heading that nobody chose leads to the goal.
    const isOpen = start !== null || (goal !== null && missing.includes("start"));
    const heading_deg = start && heading !== null ? heading : isOpen ? Math.round(angle(from, to)) : content.start.heading_deg;
    const left = missing.filter((name) => !this.placed[/** @type {"start" | "goal"} */ (name)]);
    const placed = { start: { ...content.start, position: from, heading_deg }, goal: { ...content.goal, position: to } };
    return { ...this.found, content: { ...content, ...placed }, missing: left };
  }

  /** Choose what clicks do; the same again ends it. */
  choose(/** @type {Mode | null} */ mode) {
    this.mode = this.mode === mode ? null : mode;
    this.picks = [];
    for (const button of this.modes.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === this.mode));
    }
    this.hint.replaceChildren(this.mode ? HINTS[this.mode] : "");
    this.draw();
  }

  draw() {
    const picture = thumbnail(docOf(this.result().content));
    picture.classList.toggle("aimed", this.mode !== null);
    picture.addEventListener("pointerdown", (event) => this.press(event));
    this.figure.replaceChildren(picture);
    // Where the scale is wrong the room for the tube may be far larger than the drawing.
    if (this.mode === "scale") picture.setAttribute("viewBox", this.drawn);
    if (!this.picks.length) return;
    const [from, to] = this.picks;
    const thin = { "vector-effect": "non-scaling-stroke" };
    const reach = MARK / scaleOf(picture);
    const crosses = this.picks.map(([x, y]) => `M${x - reach} ${-y}h${2 * reach}M${x} ${-y - reach}v${2 * reach}`).join("");
    picture.append(svg("path", { class: "pick", d: `${crosses}${to ? `M${from[0]} ${-from[1]}L${to[0]} ${-to[1]}` : ""}`, ...thin }));
  }

  press(/** @type {PointerEvent} */ event) {
    const picture = this.figure.querySelector("svg");
    if (!this.mode || !picture || event.button !== 0) return;
    event.preventDefault();
    const at = pointOf(picture, event);
    if (this.mode === "scale") this.pick(this.snap(at, NEAR / scaleOf(picture)));
    else if (this.mode === "goal") this.place({ goal: rounded(at) });
    else this.placeStart(rounded(at), DRAG / scaleOf(picture));
  }

  /** Place the start, and turn it while the pointer is dragged. */
  placeStart(/** @type {Point} */ start, /** @type {number} */ least) {
    this.place({ start, heading: null });
    const turn = (/** @type {PointerEvent} */ event) => {
      const picture = this.figure.querySelector("svg");
      const to = picture ? pointOf(picture, event) : start;
      if (distance(start, to) >= least) this.place({ heading: Math.round(angle(start, to)) });
    };
    window.addEventListener("pointermove", turn);
    window.addEventListener("pointerup", () => window.removeEventListener("pointermove", turn), { once: true });
  }

  place(/** @type {Partial<Placed>} */ changes) {
    this.placed = { ...this.placed, ...changes };
    this.draw();
  }

  /** Return the corner at a point, else the point. */
  snap(/** @type {Point} */ at, /** @type {number} */ reach) {
    let [best, least] = [at, reach];
    for (const corner of this.corners) {
      const far = distance(corner, at);
      if (far < least) [best, least] = [corner, far];
    }
    return best;
  }

  /** Pick a point of the scale; with the second one, ask for the distance. */
  pick(/** @type {Point} */ at) {
    this.picks = this.picks.length === 2 ? [at] : [...this.picks, at];
    this.draw();
    const [from, to] = this.picks;
    if (!to) this.hint.replaceChildren(HINTS.scale);
    else if (distance(from, to)) this.ask(distance(from, to));
    else this.picks.pop();
  }

  ask(/** @type {number} */ measured) {
    const truth = freeNumberField({ label: "true distance", ...lengthOptions(), fault: positiveFault }, rounded([measured, 0])[0]);
    const apply = () => {
      const [value, unit] = [truth.read(), this.found?.mm_per_unit];
      if (value !== null && unit) this.setScale({ mm: value, units: measured / unit });
    };
    truth.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") apply();
    });
    const confirm = el("button", { type: "button", class: "primary", onclick: apply }, "Apply");
    this.hint.replaceChildren(el("p", {}, `Now they are ${lengthWithUnit(measured)} apart.`), truth.element, confirm);
    // The click on the second point would take the focus away again.
    setTimeout(() => truth.input.select());
  }
}

/** The pixels of the screen for each millimetre of a picture. */
function scaleOf(/** @type {SVGSVGElement} */ picture) {
  return picture.getScreenCTM()?.a || 1;
}

/** The part of a picture that shows a box, with a margin. */
function viewBoxOf(/** @type {import("./geometry.js").Box} */ { min, max }) {
  const margin = EDGE * Math.max(max[0] - min[0], max[1] - min[1]);
  return [min[0] - margin, -max[1] - margin, max[0] - min[0] + 2 * margin, max[1] - min[1] + 2 * margin].join(" ");
}

/** The point of the drawing under the pointer. @returns {Point} */
function pointOf(/** @type {SVGSVGElement} */ picture, /** @type {PointerEvent} */ { clientX, clientY }) {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(picture.getScreenCTM()?.inverse());
  return [x, -y];
}

/** A point in whole millimetres, or finer where the drawing is small. @returns {Point} */
function rounded(/** @type {Point} */ [x, y]) {
  return [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
}
