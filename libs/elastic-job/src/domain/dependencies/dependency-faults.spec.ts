import { describe, expect, it } from 'vitest';
import { type DependencyFacts, describeAwayParents, findDependencyFaults } from './dependency-faults.js';

describe('where a job may stand in a chain', () => {
  it('accepts parents of one schedule, of which one runs after the other', () => {
    expect(faultsOf(['import', 'check'], job('import'), job('check', { cron: undefined, after: ['import'] }))).toEqual(
      [],
    );
  });

  it.each<[string, readonly DependencyFacts[], string]>([
    [
      'a one-off parent',
      [job('import', { cron: undefined })],
      'after "import": it has no schedule, so its runs have no fire time; give it a cron, or an after',
    ],
    [
      'a resident parent',
      [job('import', { cron: undefined, resident: true })],
      'after "import": it is resident, so its runs have no end to wait for',
    ],
    [
      'a parent that is not monitored',
      [job('import', { monitorExecution: false })],
      'after "import": it has monitorExecution: false, so nobody knows how its items end',
    ],
    [
      'a parent that waits for the job',
      [job('import', { cron: undefined, after: ['report'] })],
      'after "import": a circle, "report" after "import" after "report"',
    ],
  ])('reports %s with the remedy', (_, known, fault) => {
    expect(faultsOf(['import'], ...known)).toEqual([fault]);
  });

  it.each<[string, Partial<DependencyFacts>]>([
    ['cron', { cron: '0 30 * * * ?' }],
    ['time zone', { timeZone: 'Asia/Tokyo' }],
    ['rule for clock changes', { clockChange: 'quartz' }],
  ])('shows both schedules if one of the parents has another %s', (_, other) => {
    const [fault, ...more] = faultsOf(['import', 'check'], job('import'), job('check', other));

    expect(more).toEqual([]);
    expect(fault).toMatch(
      /^after "import", "check": their runs have no fire times in common; .*"import" by .*"check" by /,
    );
  });

  it('shows the zone of a schedule, also if that is the one of the host', () => {
    const tokyo = job('check', { timeZone: 'Asia/Tokyo' });

    expect(faultsOf(['import', 'check'], job('import'), tokyo)[0]).toMatch(
      /"import" by .*timeZone of the host, .*"check" by .*timeZone "Asia\/Tokyo", /,
    );
  });

  it('waits for a parent, or a parent of one, that is not there yet', () => {
    expect(faultsOf(['import'])).toEqual([]);
    expect(faultsOf(['check'], job('check', { cron: undefined, after: ['import'] }))).toEqual([]);
  });
});

it('says which parents do not run, why, and which one was probably meant', () => {
  const away = describeAwayParents([
    { jobName: 'import-orders', reason: 'no-instance' },
    { jobName: 'check', reason: 'missing', nearest: 'checks' },
    { jobName: 'report', reason: 'disabled' },
  ]);

  expect(away).toBe('import-orders (no instance), check (missing; did you mean "checks"?), report (disabled)');
});

function faultsOf(after: readonly string[], ...known: readonly DependencyFacts[]): readonly string[] {
  const child = job('report', { after, cron: undefined });
  return findDependencyFaults(child, new Map(known.map((facts) => [facts.jobName, facts])));
}

function job(jobName: string, facts: Partial<DependencyFacts> = {}): DependencyFacts {
  const usual = { after: [], cron: '0 0 * * * ?', timeZone: undefined, clockChange: 'auto' } as const;
  return { jobName, monitorExecution: true, resident: false, ...usual, ...facts };
}
