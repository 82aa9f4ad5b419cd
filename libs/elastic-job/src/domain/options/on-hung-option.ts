export const ON_HUNG = ['wait', 'release', 'terminate'] as const;

/** Treatment of an item whose handler ignores its signal. @see JobOptions.onHung */
export type OnHung = 'wait' | 'release' | 'terminate';
