import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { METRICS } from '../../libs/elastic-job/src/nest/metrics/metrics.catalogue.js';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ALERT_CASES } from './alert-cases.js';
import { ALERTS, ALERTS_FILE, metricsIn } from './files.js';

/** The page in the package, where every release of npm has it. */
const RUNBOOK = 'https://unpkg.com/nestjs-elastic-job/docs/operate/monitoring.md';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('is a file that promtool accepts', async () => {
  const { stdout } = await run('promtool', ['check', 'rules', ALERTS_FILE]);
  expect(stdout).toContain(`SUCCESS: ${ALERTS.length} rules found`);
});

it('has as many alerts as its page says', () => {
  const page = readFileSync('docs/operate/monitoring.md', 'utf8');
  expect(page).toMatch(new RegExp(`\\b${ALERTS.length} alerts for Prometheus`));
  expect([...page.matchAll(/^### (ElasticJob\w+)$/gm)].map(([, name]) => name)).toEqual(
    ALERTS.map(({ alert }) => alert),
  );
});

describe.each(ALERTS)('$alert', ({ alert, expr, labels, annotations }) => {
  it('fires in its case, and is silent in others', { timeout: 60_000 }, async () => {
    const cases = ALERT_CASES.filter((one) => one.alert === alert);
    expect(new Set(cases.map(({ fires }) => fires !== undefined))).toEqual(new Set([true, false]));
    const file = join(folder, `${alert}.yml`);
    writeFileSync(file, stringify({ rule_files: [ALERTS_FILE], tests: cases.map(testOf) }));

    await run('promtool', ['test', 'rules', file]);
  });

  it('has a severity, a text and a section of the page in both languages', () => {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url']);
    expect(annotations.runbook_url).toBe(`${RUNBOOK}#${alert.toLowerCase()}`);
    for (const language of ['', 'zh/']) {
      const page = readFileSync(`docs/${language}operate/monitoring.md`, 'utf8');
      expect(page).toContain(`\n### ${alert}\n`);
    }
  });

  it('asks for metrics that exist', () => {
    const known = new Set(Object.keys(METRICS));
    expect(metricsIn(expr).filter((name) => !known.has(name))).toEqual([]);
    expect(metricsIn(expr)).not.toEqual([]);
  });
});

/** A case in promtool's form. */
function testOf({ alert, because, series, minute, fires }: (typeof ALERT_CASES)[number]): object {
  const { labels, annotations, for: wait } = ALERTS.find((one) => one.alert === alert)!;
  const expected = fires && {
    exp_labels: { ...labels, ...fires.labels },
    exp_annotations: { ...annotations, summary: fires.summary },
  };
  return {
    name: `${alert}: ${because}`,
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      { eval_time: `${minute}m`, alertname: alert, exp_alerts: expected ? [expected] : [] },
      ...(expected && wait ? [{ eval_time: `${minute - 1}m`, alertname: alert, exp_alerts: [] }] : []),
    ],
  };
}
