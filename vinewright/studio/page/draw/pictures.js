/** The pictures of this page: sent to the server, which keeps them, and fetched from there when the page is loaded again. */

import { fetchBlob, postPicture } from "../api.js";

/** @typedef {import("../types.js").Background} Background */
/** @typedef {import("../types.js").KeptBackground} KeptBackground */

/** Addresses by the keys of the pictures. None is given back: undo may show each picture again. @type {Map<string, string>} */
const sources = new Map();

/** Send a picture. Returns its key, its address in this page, and why the server does not keep it, which is empty if it does. */
export async function sendPicture(/** @type {Blob} */ file) {
  const { blob, key, notKept } = await postPicture(file);
  return { key, src: remember(key, blob), notKept };
}

/** A background from a storage, with the address of its picture; null if the picture is not kept any more. @returns {Promise<Background | null>} */
export async function withSource(/** @type {KeptBackground | null | undefined} */ background) {
  if (!background) return null;
  const { key } = background;
  try {
    return { ...background, src: sources.get(key) ?? remember(key, await fetchBlob(`/api/pictures/${key}`)) };
  } catch {
    return null;
  }
}

function remember(/** @type {string} */ key, /** @type {Blob} */ blob) {
  const src = sources.get(key) ?? URL.createObjectURL(blob);
  sources.set(key, src);
  return src;
}
