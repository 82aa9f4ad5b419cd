import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const ALERTS_FILE = fileURLToPath(new URL('../../docs/operate/alerts.yml', import.meta.url));

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Target {
  readonly expr: string;
  readonly refId: string;
  readonly datasource: { readonly type: string; readonly uid: string };
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly Target[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
}

/** The alerts of docs/operate/alerts.yml. */
export const ALERTS: readonly Alert[] = readAlerts();

/** docs/operate/grafana.json */
export const DASHBOARD: Dashboard = JSON.parse(
  readFileSync(new URL('../../docs/operate/grafana.json', import.meta.url), 'utf8'),
);

/** Names of metrics of this library in an expression, without the endings of a histogram's series. */
export function metricsIn(expr: string): readonly string[] {
  const names = [...expr.matchAll(/\belastic_job_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));
  return [...new Set(names)];
}

function readAlerts(): readonly Alert[] {
  const { groups }: { readonly groups: readonly { readonly rules: readonly Alert[] }[] } = parse(
    readFileSync(ALERTS_FILE, 'utf8'),
  );
  return groups.flatMap(({ rules }) => rules);
}
