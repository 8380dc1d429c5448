/** Small pictures of drawings. */

import { svg } from "../dom.js";
import { pathOf } from "./outline.js";
import { tubeRadius } from "./scene.js";
import { placeStart, makeStartSymbol } from "./symbols.js";

/** @typedef {import("../types.js").Doc} Doc */

/** A small picture of a drawing. */
export function thumbnail(/** @type {Doc} */ doc) {
  const { min, max } = doc.bounds;
  const [width, height] = [Math.max(max[0] - min[0], 1), Math.max(max[1] - min[1], 1)];
  const thin = { "vector-effect": "non-scaling-stroke" };
  const start = makeStartSymbol("start");
  placeStart(start, doc.start, tubeRadius());
  const paths = doc.shapes.map((shape) => pathOf(shape, doc.ends)).join("");
  const world = svg(
    "g", { transform: "scale(1 -1)" },
    svg("rect", { class: "paper", x: min[0], y: min[1], width, height }),
    svg("circle", { class: "goal", cx: doc.goal.position[0], cy: doc.goal.position[1], r: doc.goal.radius, ...thin }),
    svg("path", { class: "shape", d: paths, ...thin }),
    start,
  );
  return svg("svg", { class: "thumbnail", viewBox: `${min[0]} ${-max[1]} ${width} ${height}`, "aria-hidden": "true" }, world);
}
