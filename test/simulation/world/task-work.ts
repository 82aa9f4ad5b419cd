import type { BegunItem, JobType, ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import { workOfType } from '../../../libs/elastic-job/src/executor/index.js';
import type { JobDefinition } from '../../../libs/elastic-job/src/runtime/index.js';
import { noteRun, type RunParts } from './handler.js';

type TaskParts = Omit<RunParts, 'onAsk'> & {
  readonly onAsk: (context: ShardingContext, ask: (() => void) | undefined) => void;
};

/**
 * The work of a job whose items are tasks. Its runs are noted from their begin to their end, like those of handlers.
 */
export function taskWork(type: JobType, parts: TaskParts): Pick<JobDefinition, 'handler' | 'settled' | 'tasks'> {
  const { handler, settled, tasks } = workOfType(type);
  const follow = async (context: ShardingContext, begun?: BegunItem): Promise<void> => {
    const { fact } = noteRun(context, { ...parts, onAsk: (ask) => parts.onAsk(context, ask) }, false);
    try {
      await handler(context, begun);
      parts.log({ kind: 'returned', run: fact.run });
    } catch (error) {
      parts.log({ kind: 'threw', run: fact.run });
      throw error;
    } finally {
      parts.onAsk(context, undefined);
    }
  };
  return { settled, tasks, handler: follow };
}
