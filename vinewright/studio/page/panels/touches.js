/** Contacts of a growth in words: the object, the place along the tube, and the force. */

import { distance, isInside, middle, toOutline } from "../draw/geometry.js";
import { el } from "../dom.js";
import { state } from "../store.js";
import { contactsOf } from "./forcelayer.js";
import { lengthAt, recordOf } from "./growths.js";
import { obstacleNames, solidsOf } from "./obstacles.js";
import { numberWords } from "./words.js";

/** @typedef {import("../types.js").Content} Content */
/** @typedef {import("../types.js").Growth} Growth */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {{name: string, force: number, most: number, at: number, last: number}} Touch force of all its segments; place of the strongest one [mm] */

const MOST = 6; // lines

/** Lines of the contacts of a growth, from the base to the tip. */
export function touchLines(/** @type {Growth} */ growth) {
  const touches = touchesOf(growth);
  const strongest = [...touches].sort((one, other) => other.force - one.force).slice(0, MOST);
  const lines = touches.filter((one) => strongest.includes(one)).map(({ name, at, force }) =>
    el("li", {}, `touches ${name} at ${(at / 1000).toFixed(2)} m: ${numberWords(force, 2)} N`));
  const more = touches.length - lines.length;
  if (more) lines[MOST - 1].append(`; and ${more} weaker`);
  return lines;
}

/** Segments in a row that touch the same thing are one touch. @returns {Touch[]} */
function touchesOf(/** @type {Growth} */ growth) {
  const content = state.run?.content;
  const joints = growth.joints[recordOf(growth)];
  if (!content || !joints) return [];
  const find = makeFinder(content);
  /** @type {Touch[]} */
  const found = [];
  for (const { force, segment } of contactsOf(growth)) {
    if (segment + 1 >= joints.length) continue;
    const name = find(middle(joints[segment], joints[segment + 1]));
    const at = lengthAt(joints, segment);
    const before = found.at(-1);
    if (before?.name === name && before.last === segment - 1) {
      if (force > before.most) [before.most, before.at] = [force, at];
      before.force += force;
      before.last = segment;
    } else found.push({ name, force, most: force, at, last: segment });
  }
  return found;
}

/** Return a function that finds the name of the object nearest to a point. */
function makeFinder(/** @type {Content} */ content) {
  const [names, solids] = [obstacleNames(content), solidsOf(content)];
  const { min, max, edge } = content.bounds;
  return (/** @type {Point} */ at) => {
    let best = { name: "an obstacle", far: Infinity };
    solids.forEach(({ corners, circle, round }, k) => {
      let far = circle ? distance(at, [circle[0], circle[1]]) - circle[2] : isInside(at, corners) ? 0 : toOutline(at, corners);
      // The round ends of a wall reach beyond its corners.
      if (round) far = Math.min(far, ...[[1, 2], [3, 0]].map(([i, j]) => distance(at, middle(corners[i], corners[j])) - round));
      if (far < best.far) best = { name: names[k], far };
    });
    const toEdge = Math.min(at[0] - min[0], at[1] - min[1], max[0] - at[0], max[1] - at[1]);
    return edge !== "open" && toEdge < best.far ? "the edge of the bounds" : best.name;
  };
}
