/**
 * What this page asked the server's second process for. It works in order, and says of a failure only that there was one: it belongs
 * to the oldest request.
 */

/** @typedef {"look" | "trials" | "pack"} JobKind */
/** @type {{kind: JobKind, failed: (message: string) => void}[]} */
let waiting = [];

/** Note a request; `failed` is called if it fails. */
export function begin(/** @type {JobKind} */ kind, /** @type {(message: string) => void} */ failed) {
  waiting.push({ kind, failed });
}

/** Forget the oldest request of a kind: its answer is complete, or it was refused or replaced. */
export function end(/** @type {JobKind} */ kind) {
  const at = waiting.findIndex((one) => one.kind === kind);
  if (at >= 0) waiting.splice(at, 1);
}

/** Pass a failure on; returns whether it was for a request of this page. */
export function fail(/** @type {string} */ message) {
  // A process that is killed takes all of its jobs with it.
  const some = /killed/.test(message) ? waiting.splice(0) : waiting.splice(0, 1);
  for (const one of some) one.failed(message);
  return some.length > 0;
}

/** Forget all requests, because the connection was lost and their answers may be, too. */
export function forget() {
  waiting = [];
}
