/** A photo or floor plan beneath the drawing: loading, scaling by two points, moving. It is not part of the file. */

import { attempt } from "../api.js";
import { beginGesture, editBackground, set, state } from "../store.js";
import { pixels } from "../view.js";
import { newWord } from "./aim.js";
import { distance, minus, plus, tidy, times } from "./geometry.js";
import { clearGesture, live, show } from "./live.js";
import { sendPicture } from "./pictures.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Background} Background */
/** @typedef {import("./aim.js").Press} Press */
/** @typedef {import("./aim.js").Gesture} Gesture */

const OPACITY = 0.5; // of a new picture
const NEAR = 12; // distance at which a picked point is dragged on [px]

/** Load a picture, as large as the bounds allow, and choose the tool that moves it. */
export function loadBackground(/** @type {Blob} */ file) {
  return attempt(async () => {
    const { key, src, notKept } = await sendPicture(file);
    const image = new Image();
    image.src = src;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const { min, max } = state.doc.bounds;
    const scale = Math.min((max[0] - min[0]) / width, (max[1] - min[1]) / height);
    show({ picks: null });
    editBackground({ key, src, width, height, x: min[0], y: min[1], scale, opacity: OPACITY });
    set({ tool: "background", panel: "draw", ...(notKept ? { message: notKept } : {}) });
  });
}

/** Remove the picture. */
export function removeBackground() {
  show({ picks: null });
  editBackground(null);
}

/** Change the picture; changes with the same word are one step of undo. */
export function changeBackground(/** @type {Partial<Background>} */ changes, /** @type {string | null} */ merge = null) {
  if (state.background) editBackground({ ...state.background, ...changes }, merge);
}

/** Scale the picture about its lower left corner or another point. */
export function scaleBackground(/** @type {number} */ factor, /** @type {Point} */ about) {
  const { background } = state;
  if (!background) return;
  const corner = plus(about, times(minus([background.x, background.y], about), factor));
  changeBackground({ x: tidy(corner[0]), y: tidy(corner[1]), scale: background.scale * factor });
}

/** Scale the picture so that the two picked points have their true distance; the first one stays where it is. */
export function applyScale(/** @type {number} */ truth) {
  const [first, second] = live.picks ?? [];
  const measured = second ? distance(first, second) : 0;
  if (!measured) return;
  scaleBackground(truth / measured, first);
  show({ picks: null });
}

/** @type {import("./aim.js").Tool} */
export const backgroundTool = {
  title: "Background picture", hotkey: "I", hint: "", cursor: "move",
  press(press) {
    if (live.picks) return pick(press, live.picks);
    return state.background ? drag(press, state.background) : null;
  },
  leave() {
    const busy = live.picks !== null;
    show({ picks: null });
    clearGesture();
    return busy;
  },
};

/** Pick a point of the scale, or drag one that is picked. @returns {Gesture | null} */
function pick(/** @type {Press} */ press, /** @type {Point[]} */ picks) {
  let index = picks.findIndex((one) => distance(one, press.at) <= pixels(NEAR));
  if (index < 0) {
    if (picks.length === 2) return null;
    index = picks.length;
  }
  const put = (/** @type {Press} */ now) => {
    const next = [...(live.picks ?? [])];
    next[index] = now.at;
    show({ picks: next });
  };
  put(press);
  return { move: put, done: () => {}, cancel: () => show({ picks }) };
}

/** @returns {Gesture} */
function drag(/** @type {Press} */ from, /** @type {Background} */ before) {
  const [word, goBack] = [newWord("picture"), beginGesture()];
  return {
    move({ at }) {
      const [dx, dy] = minus(at, from.at);
      changeBackground({ x: tidy(before.x + dx), y: tidy(before.y + dy) }, word);
    },
    done: () => {},
    cancel: goBack,
  };
}
