import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import { ReportedDifferences, SettingsReports } from './settings-reports.js';

describe('reports about settings', () => {
  it('come at once for a job that has left and joined again, and for no other job earlier', () => {
    const reports = new SettingsReports(new VirtualClock());
    const told: string[] = [];
    const add = (jobName: string) => reports.add(jobName, 'bad', () => told.push(jobName));
    for (const jobName of ['import', 'import-all']) add(jobName);

    reports.forget('import');
    for (const jobName of ['import', 'import-all']) add(jobName);

    expect(told).toEqual(['import', 'import-all', 'import']);
  });
});

describe('differences between the registry and the code', () => {
  const followed = { field: 'cron', local: 'a', stored: 'b' };
  const refused = { field: 'props.dsn', local: 'a', stored: 'b', isRefused: true };

  it.each([
    ['all', [refused], true],
    ['some', [refused, followed], false],
    ['none', [followed], false],
    ['nothing', [], false],
  ])('are refused if the registry may set none of them: it may not set %s', (_, present, isRefused) => {
    const differences = new ReportedDifferences();
    differences.note(present);
    expect(differences.take()).toMatchObject({ isRefused, total: present.length });
  });
});
