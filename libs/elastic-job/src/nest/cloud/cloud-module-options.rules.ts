import { type OptionRow, OptionTable, resources, rule, taskOptions, text } from '../../domain/index.js';
import type { ElasticJobCloudModuleOptions, TaskApp } from './cloud-module-options.js';

const APP_ROWS = {
  task: { rule: taskOptions() },
  resources: { rule: resources() },
} as const satisfies Readonly<Record<keyof TaskApp, OptionRow>>;

const texts = rule(
  'a list of texts',
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string' && one.length > 0),
);

const TABLES = {
  apps: (name: string) => new OptionTable(APP_ROWS, `the app "${name}"`, `apps.${name}.`),
  defaults: new OptionTable(APP_ROWS, 'defaults', 'defaults.'),
  allow: new OptionTable(
    { images: { rule: texts }, commands: { rule: texts }, podTemplates: { rule: texts } },
    'allow',
    'allow.',
  ),
  tree: new OptionTable({ namespace: { rule: text() } }, 'tree', 'tree.'),
};

/** Finds faults of the options that name tasks, one text each. */
export function findOptionFaults({
  allow,
  apps = {},
  defaults,
  tree,
}: ElasticJobCloudModuleOptions): readonly string[] {
  return [
    ...faultsOf(TABLES.allow, 'allow', allow),
    ...faultsOf(TABLES.defaults, 'defaults', defaults),
    ...faultsOf(TABLES.tree, 'tree', tree),
    ...Object.entries(apps).flatMap(([name, app]) => faultsOf(TABLES.apps(name), `apps.${name}`, app)),
  ];
}

function faultsOf(table: OptionTable, at: string, given: unknown): readonly string[] {
  if (given === undefined) return [];
  if (typeof given !== 'object' || given === null) return [`${at} must be an object of options`];
  return [...table.findUnknown(given), ...table.findBroken(given)];
}
