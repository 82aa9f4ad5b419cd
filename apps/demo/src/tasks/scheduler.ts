// The main file of schedulers and tasks alike.
import { NestFactory } from '@nestjs/core';
import type { JobEvent } from '@app/elastic-job';
import { isElasticJobTask, runTask } from '@app/elastic-job/cloud';
import type { DemoEvent } from '../demo/demo-event.js';
import { readSettings } from './settings.js';
import { TasksModule } from './tasks.module.js';

if (isElasticJobTask()) await runTask(TasksModule.of(readSettings()), { logger: ['error'] });
else await schedule();

async function schedule(): Promise<void> {
  const settings = readSettings();
  const hear = (event: JobEvent): void => {
    for (const news of toDemoEvents(settings.instance, event)) process.send?.(news);
  };
  const module = TasksModule.of(settings, hear);
  const application = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  const leave = async (): Promise<void> => {
    await application.close();
    process.exit(0);
  };
  process.on('message', () => void leave());
  // The demo has ended, so the scheduler leaves too.
  process.on('disconnect', () => void leave());
}

function toDemoEvents(instance: string, event: JobEvent): readonly DemoEvent[] {
  if (event.kind === 'joined') return [{ kind: 'joined', instance, instanceId: event.instanceId }];
  if (event.kind === 'resharded') return [{ kind: 'resharded', instance, owners: [...event.assignment] }];
  if (event.kind === 'task-launched') return [taskNews(instance, event, 'LAUNCHED')];
  if (event.kind === 'task-state') return [taskNews(instance, event, event.state, event.detail)];
  if (event.kind !== 'task-released') return [];
  return linesOf(event.tail).map(({ added }) => ({ kind: 'wrote', instance, item: event.item, token: '0', added }));
}

function taskNews(
  instance: string,
  { item, task }: Extract<JobEvent, { kind: 'task-launched' | 'task-state' }>,
  state: string,
  detail?: string,
): DemoEvent {
  return { kind: 'task', instance, item, launch: task.launch, state, detail };
}

/** Parses the output of a task. The first line may be cut. */
function linesOf(tail = ''): readonly { readonly added: number }[] {
  return tail.split('\n').flatMap((line) => (/^\{"added":\d+\}$/.test(line) ? [JSON.parse(line)] : []));
}
