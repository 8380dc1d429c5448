/** Start and goal as they are drawn, to scale. */

import { svg } from "../dom.js";

/** @typedef {import("../types.js").Point} Point */

/** The base of the tube with its first diameter, at true width, and an arrow in the direction of its heading. */
export function makeStartSymbol(/** @type {string} */ className) {
  return svg(
    "g",
    { class: className },
    svg("path", { class: "tube-body", "vector-effect": "non-scaling-stroke" }),
    svg("path", { class: "tube-arrow", "vector-effect": "non-scaling-stroke" }),
    svg("path", { class: "tube-base", "vector-effect": "non-scaling-stroke" }),
  );
}

/** Move a start symbol to a position and heading. */
export function placeStart(
  /** @type {SVGGElement} */ symbol,
  /** @type {{position: Point, heading_deg: number}} */ { position, heading_deg },
  /** @type {number} */ radius,
) {
  const r = radius;
  const paths = [
    `M0 ${-r}H${r}A${r} ${r} 0 0 1 ${r} ${r}H0Z`,
    `M${0.35 * r} 0H${1.45 * r}M${1.05 * r} ${0.32 * r}L${1.45 * r} 0L${1.05 * r} ${-0.32 * r}`,
    `M0 ${-1.15 * r}V${1.15 * r}`,
  ];
  paths.forEach((path, k) => symbol.children[k].setAttribute("d", path));
  symbol.setAttribute("transform", `translate(${position[0]} ${position[1]}) rotate(${heading_deg})`);
}
