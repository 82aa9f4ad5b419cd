/** A seed that has once shown something, and what. */
export interface Regression {
  readonly seed: number;
  readonly showed: string;
}

/** Run by every test run. A seed means another history once the plan draws differently: note then what showed it instead. */
export const REGRESSIONS: readonly Regression[] = [
  {
    seed: 45,
    showed:
      'the end of a session of which a reply was to be lost mended the link of its client, in the memory registry',
  },
  {
    seed: 74,
    showed: 'an instance without a free slot for long lets the failover queue wait, and what is queued with it',
  },
  {
    seed: 367,
    showed: 'a newer target overwrote what a dead rescuer owed, between the end of its session and the sweep',
  },
];
