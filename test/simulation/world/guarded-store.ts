/** A store that takes effects by their token, as a user's database does through our guard. */
export interface EffectStore {
  /** @returns whether the effect was accepted */
  apply(key: string, token: bigint): boolean;
}

/** Accepts what is not older than what it has seen. */
export class GuardedStore implements EffectStore {
  private readonly newest = new Map<string, bigint>();

  apply(key: string, token: bigint): boolean {
    const isCurrent = (this.newest.get(key) ?? -1n) <= token;
    if (isCurrent) this.newest.set(key, token);
    return isCurrent;
  }
}
