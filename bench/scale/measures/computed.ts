import type { ReshardOptions } from '../child/instance-calls.js';
import type { Measurement } from './measurement.js';

/** Processor time of a trigger of one item, over the embedded registry. */
export function virtualTriggers(runs: number): Measurement {
  return (stage) =>
    stage.with(1, async ([instance]) => ({ cpuOfTriggerUs: 1_000 * (await instance!.call('trigger', { runs })) }));
}

/** Resharding of the items of one of many instances, simulated over the embedded registry. */
export function resharding(options: ReshardOptions): Measurement {
  return (stage) =>
    stage.with(1, async ([instance]) => {
      const { virtualMs, computedMs } = await instance!.call('reshard', options);
      return { virtualMs, computedMs };
    });
}
