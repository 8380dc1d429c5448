/** Union and difference of obstacles, which the server computes. */

import { post } from "../api.js";
import { edit, set, state } from "../store.js";
import { addShapes, newShape, removeShapes } from "./shapes.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */

/**
 * Put the union of the selected obstacles in their place, or the first one that was selected without the others.
 * @param {"union" | "difference"} operation
 */
export async function combineSelected(operation) {
  const { doc, selection } = state;
  const chosen = [...selection].flatMap((id) => doc.shapes.filter((shape) => shape.id === id && !shape.locked));
  if (chosen.length < 2) return set({ message: "Select two or more obstacles first." });
  try {
    const shapes = chosen.map(({ kind, row, corners }) => ({ kind, row, corners }));
    /** @type {{polygons: Point[][]}} */
    const { polygons } = await post("/api/combine", { operation, shapes, ends: doc.ends });
    if (state.doc !== doc) return set({ message: "The drawing has changed meanwhile: nothing was combined." });
    if (!polygons.length) return set({ message: "Nothing would be left." });
    const made = polygons.map((corners) => ({ ...newShape("polygon", [], corners), name: chosen[0].name }));
    edit((before) => addShapes(removeShapes(before, new Set(chosen.map(({ id }) => id))), made));
    set({ tool: "select", selection: new Set(made.map(({ id }) => id)) });
  } catch (error) {
    set({ message: error instanceof Error ? error.message : String(error) });
  }
}
