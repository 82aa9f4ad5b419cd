import type { Clock } from '../clock/index.js';
import { inService } from './in-service.js';
import { LineLog } from './line-log.js';

/** Longest time between the module's creation and its first hook that is taken for a slow start, in milliseconds. */
const LONGEST_START_MS = 30_000;

const UNCALLED =
  `ElasticJobModule was made ${LONGEST_START_MS / 1_000} s ago, and Nest has not called its onModuleInit yet: ` +
  'no job runs until then; unless another module is still starting, call app.init() or app.listen(), ' +
  'since startAllMicroservices() alone calls no hook';

/**
 * Warns if Nest does not call the module's hooks, as in a hybrid application that only starts its microservices. The
 * log is written directly, since the sinks of events start with the hooks.
 * @returns a function that ends the wait
 */
export function warnIfUncalled(clock: Clock): () => void {
  return inService(clock, LONGEST_START_MS, () => new LineLog().write({ level: 'warn', text: UNCALLED }));
}
