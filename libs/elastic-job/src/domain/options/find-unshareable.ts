import { isBuiltInStrategyType } from '../sharding/index.js';
import type { JobConfiguration } from './job-configuration.js';

/**
 * The settings by which Java instances of the job would decide otherwise than ours: who runs an item, and when. One text
 * each; empty if the job can be shared.
 */
export function findUnshareable({ strategy, timeZone }: Pick<JobConfiguration, 'strategy' | 'timeZone'>): string[] {
  const settings: string[] = [];
  if (timeZone !== undefined && !timeZone.startsWith('GMT')) {
    settings.push(`timeZone "${timeZone}" is a zone that Java cannot read`);
  }
  if (!isBuiltInStrategyType(strategy.type)) settings.push(`strategy "${strategy.type}" is one that Java lacks`);
  return settings;
}
