/** Ends hanging tests over real parts. The library promises nothing about their duration, and machines differ. */
export const LIMITS = { timeout: 30_000 };
