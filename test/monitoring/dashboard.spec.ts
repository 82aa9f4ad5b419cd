import { METRICS } from '../../libs/elastic-job/src/nest/metrics/metrics.catalogue.js';
import { describe, expect, it } from 'vitest';
import { DASHBOARD, metricsIn, type Panel } from './files.js';

const { panels, templating } = DASHBOARD;
const queried = panels.filter(({ type }) => type !== 'row');
const targets = queried.flatMap(({ targets: all = [] }) => all);

/** Grafana's grid has 24 columns. */
const COLUMNS = 24;

describe('the dashboard', () => {
  it('has the fields by which Grafana imports it, and one id for each panel', () => {
    expect(DASHBOARD).toMatchObject({ uid: 'elastic-job', title: 'ElasticJob', schemaVersion: 39 });
    expect(DASHBOARD).not.toHaveProperty('id');
    const ids = panels.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(new Set(queried.map(({ type }) => type))).toEqual(new Set(['stat', 'timeseries']));
  });

  it('asks the data source that the reader chooses', () => {
    expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    expect(new Set(targets.map(({ datasource }) => datasource.uid))).toEqual(new Set(['${datasource}']));
    for (const { targets: all = [] } of queried) {
      expect(all.map(({ refId }) => refId)).toEqual(['A', 'B', 'C'].slice(0, Math.max(1, all.length)));
    }
  });

  it('has no panel over another one, or outside the grid', () => {
    const cells = panels.flatMap(cellsOf);
    expect(cells.filter((cell, index) => cells.indexOf(cell) < index)).toEqual([]);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > COLUMNS)).toEqual([]);
  });

  it('explains each panel, and uses only metrics and variables that exist', () => {
    const known = new Set([
      ...Object.keys(METRICS),
      'elastic_job_lateness_seconds',
      'elastic_job_item_duration_seconds',
    ]);
    const variables = new Set(templating.list.map(({ name }) => name));
    expect(queried.filter(({ description = '' }) => !description.endsWith('.'))).toEqual([]);
    for (const { expr } of targets) {
      expect(metricsIn(expr).filter((name) => !known.has(name))).toEqual([]);
      const used = [...expr.matchAll(/\$(\w+)/g)].map(([, name]) => name!);
      expect(used.filter((name) => !variables.has(name) && !['__range', '__rate_interval'].includes(name))).toEqual([]);
    }
  });
});

function cellsOf({ gridPos: { x, y, w, h } }: Panel): readonly string[] {
  return Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`);
}
