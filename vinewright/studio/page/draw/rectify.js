/** The perspective of the picture beneath the drawing, corrected by a rectangle of known size. */

import { attempt, post } from "../api.js";
import { edit, editBackground, set, state } from "../store.js";
import { live } from "./live.js";
import { minus, plus, tidy } from "./geometry.js";
import { pixelAt, sortCorners } from "./picture.js";
import { startPicking } from "./picking.js";
import { withSource } from "./pictures.js";

/** @typedef {import("../types.js").Background} Background */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("../types.js").Point} Point */

const PLACE = /** @type {const} */ (["key", "x", "y", "scale", "turn"]);

/** The picture that was corrected last, and where the rectangle lies then. @type {{background: Background, rectangle: Box} | null} */
let corrected = null;

/** The rectangle by which the picture was corrected, while the picture lies where it was put then; null without one. */
export function correctedRectangle() {
  const { background } = state;
  const last = corrected;
  return background && last && PLACE.every((key) => background[key] === last.background[key]) ? last.rectangle : null;
}

/** Make the rectangle by which the picture was corrected the bounds. */
export function setBoundsToRectangle() {
  const rectangle = correctedRectangle();
  if (rectangle) edit((doc) => ({ ...doc, bounds: { ...doc.bounds, ...rectangle } }));
}

/** Replace the picture by what a camera straight above sees; the first of the picked corners stays where it is. */
export function rectifyBackground(/** @type {number} */ width, /** @type {number} */ height) {
  return attempt(async () => {
    const before = state.background;
    const corners = sortCorners(live.picks ?? []);
    if (!before || corners.length < 4) return;
    const given = { key: before.key, corners: corners.map((corner) => pixelAt(before, corner)), width, height };
    set({ message: "Correcting the perspective…" });
    const { key, size, scale, corner } = await post("/api/rectify", given);
    const [x, y] = minus(corners[0], corner);
    const place = { x: tidy(x), y: tidy(y), turn: 0, scale, width: size[0], height: size[1] };
    const background = await withSource({ ...before, key, ...place });
    // The user may have removed it, or chosen another one, meanwhile.
    if (state.background?.key !== before.key) return;
    if (!background) throw new Error("the picture is not kept on disk, which this needs");
    startPicking(null);
    const [min, max] = [corners[0], plus(corners[0], [width, height])].map(([x, y]) => /** @type {Point} */ ([tidy(x), tidy(y)]));
    corrected = { background, rectangle: { min, max } };
    editBackground(background);
    set({ message: "" });
  });
}
