/** For tests over real parts: one that hangs ends. Nothing is promised of how long they take, and machines differ. */
export const LIMITS = { timeout: 30_000 };
