/** A store that takes effects by their token, as a user's database does through our guard. */
export interface EffectStore {
  /** @returns true if the effect was accepted */
  apply(key: string, token: bigint): boolean;
}

/** Accepts an effect whose token is not older than the last one. */
export class GuardedStore implements EffectStore {
  private readonly newest = new Map<string, bigint>();

  apply(key: string, token: bigint): boolean {
    const isCurrent = (this.newest.get(key) ?? -1n) <= token;
    if (isCurrent) this.newest.set(key, token);
    return isCurrent;
  }
}
