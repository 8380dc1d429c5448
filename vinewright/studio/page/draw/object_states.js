/** Groups, locks and hiding of obstacles, as they are kept beside a drawing: its file has none of them. Pure. */

import { newId } from "../store.js";
import { labelsOf } from "./shapes.js";

/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../types.js").ObjectStates} ObjectStates */

/** The groups, locks and hiding of a drawing. @returns {ObjectStates} */
export function statesOf(/** @type {Doc} */ { shapes }) {
  const labels = labelsOf(shapes);
  const labelled = (/** @type {readonly Shape[]} */ some) => some.map(({ id }) => labels.get(id) ?? "");
  /** @type {Map<number, Shape[]>} */
  const groups = new Map();
  for (const shape of shapes) {
    if (shape.group !== null) groups.set(shape.group, [...(groups.get(shape.group) ?? []), shape]);
  }
  return {
    groups: [...groups.values()].map(labelled),
    locked: labelled(shapes.filter(({ locked }) => locked)),
    hidden: labelled(shapes.filter(({ hidden }) => hidden)),
  };
}

/** A drawing with the groups, locks and hiding that were kept beside it. @returns {Doc} */
export function withStates(/** @type {Doc} */ doc, /** @type {ObjectStates | null | undefined} */ states) {
  if (!states) return doc;
  const labels = labelsOf(doc.shapes);
  const groups = new Map(
    states.groups.flatMap((group) => {
      const number = newId();
      return group.map((label) => /** @type {[string, number]} */ ([label, number]));
    }),
  );
  const [locked, hidden] = [new Set(states.locked), new Set(states.hidden)];
  const shapes = doc.shapes.map((shape) => {
    const label = labels.get(shape.id) ?? "";
    return { ...shape, group: groups.get(label) ?? null, locked: locked.has(label), hidden: hidden.has(label) };
  });
  return { ...doc, shapes };
}
