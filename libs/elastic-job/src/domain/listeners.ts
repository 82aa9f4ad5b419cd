/** The place of one listener. A removed place refers to no other one. */
interface Place<L> {
  readonly listener: L;
  before: Place<L> | undefined;
  after: Place<L> | undefined;
  isIn: boolean;
}

/**
 * Listeners that come and go with each run or request, called in the order in which they were added.
 *
 * A `Set` would keep them in memory long after their removal. V8 replaces the table of a set in which entries come and
 * go, and lets the former table refer to its successor. Once one of these tables has got old, it and all later ones
 * live until the next full collection, with whatever was in them when they were replaced.
 */
export class Listeners<L> {
  private first: Place<L> | undefined;
  private last: Place<L> | undefined;

  /** @returns a function that removes the listener; a second call has no effect */
  add(listener: L): () => void {
    const place: Place<L> = { listener, before: this.last, after: undefined, isIn: true };
    if (this.last === undefined) this.first = place;
    else this.last.after = place;
    this.last = place;
    return () => this.remove(place);
  }

  /** Calls those that are present now. One that is removed meanwhile is left out. */
  forEach(call: (listener: L) => void): void {
    const places: Place<L>[] = [];
    for (let place = this.first; place !== undefined; place = place.after) places.push(place);
    for (const place of places) if (place.isIn) call(place.listener);
  }

  private remove(place: Place<L>): void {
    if (!place.isIn) return;
    const { after, before } = place;
    if (before === undefined) this.first = after;
    else before.after = after;
    if (after === undefined) this.last = before;
    else after.before = before;
    place.isIn = false;
    place.before = undefined;
    place.after = undefined;
  }
}
