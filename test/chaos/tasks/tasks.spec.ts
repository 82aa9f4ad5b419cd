import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { OpenHandles, startEnsemble } from '@test/support/faults/index.js';
import { report } from '../cluster/report.js';
import { TICK_MS } from '../cluster/run-chaos.js';
import { buildTaskPrograms, runTasks, type TasksResult } from './run-tasks.js';

// In full: TASKS_MINUTES=20 npm run test:chaos -- test/chaos/tasks
const MS = Number(process.env['TASKS_MINUTES'] ?? 0.75) * 60_000;
/** Other processes may use the machine too. */
const SLACK_MS = 3_000;
/** Longest time that a child may outlive its scheduler. */
const MOST_GONE_MS = 1_000;
const SEED = Number(process.env['CHAOS_SEED'] ?? 18);

const handles = new OpenHandles();
afterAll(() => handles.stopAll());

it(
  `loses, doubles and overlaps no task while schedulers are killed, stopped and cut off (seed ${SEED})`,
  async () => {
    const programs = await buildTaskPrograms();
    await handles.add({ stop: () => programs.remove() });
    const ensemble = await handles.add(startEnsemble(3, { settings: { tickTime: TICK_MS } }));
    const keep = await mkdtemp(join(tmpdir(), 'chaos-tasks-'));
    await handles.add({ stop: () => rm(keep, { recursive: true }) });

    const result = await runTasks({ kind: 'node', programs, ensemble, keep, ms: MS, seed: SEED, slackMs: SLACK_MS });
    console.info(`${report([{ title: `seed ${SEED}`, chaos: result.chaos }])}\n${describe(result)}`);
    // Prints the stories first, because a log that is cut keeps its end.
    for (const each of result.violations) console.error(`${each.rule}: ${each.text}\n${result.chaos.story(each)}`);

    const { violations, kills, counts } = result;
    expect(violations.map(({ rule, job, item, at, text }) => `${rule}: ${job} ${item} ${at} ${text}`)).toEqual([]);
    expect(kills.filter(({ goneMs }) => goneMs > MOST_GONE_MS)).toEqual([]);
    // The test proves something only if faults hit tasks, of which some were deaf, and these were repeated.
    expect(counts.died).toBeGreaterThan(0);
    expect(counts.deaf).toBeGreaterThan(0);
    expect(counts.relaunches).toBeGreaterThan(0);
  },
  2 * MS + 180_000,
);

function describe({ counts, kills }: TasksResult): string {
  const { begun, ended, deaf, died, relaunches } = counts;
  const hit = kills.reduce((sum, { tasks }) => sum + tasks, 0);
  const slowest = Math.round(Math.max(...kills.map(({ goneMs }) => goneMs)));
  const killed = `${kills.length} schedulers killed, with ${hit} tasks`;
  const dead = `${died} killed, ${deaf} of them deaf`;
  const tasks = `${begun} tasks begun, ${ended} ended, ${dead}, ${relaunches} launched again`;
  return `${killed}; ${tasks}; all children gone after ${slowest} ms at most`;
}
