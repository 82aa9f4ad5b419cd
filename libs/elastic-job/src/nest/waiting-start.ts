import type { Clock } from '../clock/index.js';
import { describeRegistry } from '../domain/index.js';
import type { SessionInfo } from '../registry/index.js';
import type { ElasticJobModuleOptions } from './module-options.js';

/** Wait for a session that is told, in milliseconds. It is over before Jest's and Vitest's limits of 5 s for a hook. */
const TOLD_AFTER_MS = 2_500;

/**
 * Tells once that a start waits for ZooKeeper. The log has it as an error: nothing else happens meanwhile, and the
 * logger of Nest's testing modules shows nothing below.
 * @returns ends the watch
 */
export function tellWaitingStart(
  clock: Clock,
  registry: ElasticJobModuleOptions['registry'],
  session: () => SessionInfo,
  tell: (text: string) => void,
): () => void {
  if (registry?.type !== 'zookeeper') return () => {};
  const { servers, namespace } = registry;
  const timer = clock.setTimer(TOLD_AFTER_MS, () => {
    const { state, problem = 'no answer' } = session();
    if (state !== undefined) return;
    const missing = `no session with ${describeRegistry(servers, namespace)} after ${TOLD_AFTER_MS / 1000} s`;
    tell(`${missing}: ${problem}; the start goes on trying`);
  });
  return () => timer.cancel();
}
