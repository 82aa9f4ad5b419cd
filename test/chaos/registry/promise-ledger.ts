/** Knows which of the promises that callers were given are unsettled. */
export class PromiseLedger {
  readonly #open = new Map<Promise<unknown>, string>();

  /** Returns the same object, but records its promises, and those of the objects that they resolve to. */
  watch<T extends object>(name: string, target: T): T {
    return new Proxy(target, {
      get: (_, key) => {
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => this.#noted(`${name}.${String(key)}`, member.apply(target, given));
      },
    });
  }

  /** The calls whose promises are unsettled. */
  unsettled(): readonly string[] {
    return [...this.#open.values()];
  }

  #noted(call: string, result: unknown): unknown {
    if (!(result instanceof Promise)) return result;
    this.#open.set(result, call);
    const settled = () => void this.#open.delete(result);
    result.then(settled, settled);
    return call.endsWith('.openSubtree') ? this.#watchedView(result) : result;
  }

  async #watchedView(opening: Promise<object>): Promise<object> {
    return this.watch('subtree', await opening);
  }
}
