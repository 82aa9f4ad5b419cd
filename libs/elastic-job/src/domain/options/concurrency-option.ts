export const THREAD_POOL_SIZES = ['CPU', 'SINGLE_THREAD'] as const;

/** Most items of a job at the same time on one instance, as a number or as ElasticJob names it. */
export type ConcurrencyOption = number | 'CPU' | 'SINGLE_THREAD';
