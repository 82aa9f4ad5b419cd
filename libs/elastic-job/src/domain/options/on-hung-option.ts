export const ON_HUNG = ['wait', 'release', 'terminate'] as const;

/** What becomes of an item whose handler does not heed its signal. @see JobOptions.onHung */
export type OnHung = 'wait' | 'release' | 'terminate';
