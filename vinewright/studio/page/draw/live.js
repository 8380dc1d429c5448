/** Marks that are shown only while the pointer hovers or drags. They are no part of the state: they are neither undone nor saved. */

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("./snap.js").Snapped} Snapped */
/** @typedef {"scale" | "level" | "corners"} Picking */

/**
 * @typedef {object} Dimension
 * A figure in the drawing: at a line between two points, or beside one point.
 * @property {Point} from
 * @property {Point} to the same point for a figure without a line
 * @property {string} text
 * @property {[Point, Point]} [centres] of the two objects, if it is the distance between their centre lines, which lead to its ends
 * @property {number} [aside] distance of the line from its points, to the left of their direction [px]
 */

/**
 * @typedef {object} Live
 * @property {number | string | null} hover the object under the pointer
 * @property {number | null} corner the active corner of the selected polygon
 * @property {Shape | null} draft the shape that is being drawn
 * @property {Point[]} chain the corners of the polygon that is being drawn, the last one at the pointer
 * @property {Dimension[]} dimensions
 * @property {import("./guides.js").Guide[]} guides lines on which the selection lies with other objects
 * @property {boolean} moving whether the selection is being moved
 * @property {Snapped | null} snapped
 * @property {{from: Point, to: Point} | null} marquee on the stage [px]
 * @property {Point | null} pointer in the drawing [mm]
 * @property {{position: Point, heading_deg: number} | null} ghost where the start tool would put the base
 * @property {Point[] | null} picks points on the picture, while they are picked
 * @property {Picking} picking what they are for
 * @property {boolean} tubeWidth whether a disc as wide as the tube follows the pointer
 * @property {((at: Point) => void) | null} asking takes the next click on a drawing that is only looked at
 * @property {boolean} passages whether passages are shown through which the tube fits
 */

/** @type {Live} */
export const live = {
  hover: null, corner: null, draft: null, chain: [], dimensions: [], guides: [], moving: false, snapped: null, marquee: null, pointer: null, ghost: null,
  picks: null, picking: "scale", tubeWidth: false, asking: null, passages: false,
};

/** @type {(() => void)[]} */
const listeners = [];

/** Change marks. */
export function show(/** @type {Partial<Live>} */ changes) {
  Object.assign(live, changes);
  for (const listener of listeners) listener();
}

/** Call a listener after every change. */
export function whenShown(/** @type {() => void} */ listener) {
  listeners.push(listener);
}

/** Remove all marks of a drag or of a shape that is being drawn. */
export function clearGesture() {
  show({ draft: null, chain: [], dimensions: [], guides: [], moving: false, snapped: null, marquee: null, ghost: null });
}
