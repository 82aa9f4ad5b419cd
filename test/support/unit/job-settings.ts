import {
  type ElasticJobListener,
  type JobOptions,
  readListener,
  resolveJobOptions,
  Schedules,
} from '../../../libs/elastic-job/src/domain/index.js';
import { JobSettings } from '../../../libs/elastic-job/src/runtime/settings/job-settings.js';
import { SettingsReports } from '../../../libs/elastic-job/src/runtime/settings/settings-reports.js';
import { type JobEvent, JobEvents } from '../../../libs/elastic-job/src/tracing/index.js';
import { JOB, type Member, Registry } from './member.js';

/** The settings of a job whose node is there, and the events that they report. */
export async function installed(options: Partial<JobOptions> = {}, listeners: readonly ElasticJobListener[] = []) {
  const registry = new Registry();
  const member = await registry.member(options);
  await member.configurations.install(member.tree);
  const events: JobEvent[] = [];
  const jobEvents = new JobEvents();
  jobEvents.on((event) => events.push(event));
  const local = resolveJobOptions(
    { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, ...options },
    { place: 'spec' },
  );
  const news = new SettingsReports(registry.clock);
  const settings = new JobSettings(
    local,
    member.configurations,
    jobEvents,
    new Schedules(),
    news,
    listeners.map(readListener),
  );
  return { member, events, settings, clock: registry.clock };
}

/** Edits the node, as an operator does. */
export async function writeConfig({ center, tree }: Member, edit: (text: string) => string): Promise<void> {
  await center.set(tree.paths.config, edit((await center.read(tree.paths.config))!.data));
  await tree.sync();
}
