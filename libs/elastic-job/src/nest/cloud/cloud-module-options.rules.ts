import {
  having,
  isOptionsObject,
  mustBeUnseen,
  nested,
  type OptionRow,
  OptionTable,
  resources,
  rule,
  show,
  taskOptions,
  text,
} from '../../domain/index.js';
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

const CLUSTER = 'a name of at most 63 letters, digits, "-", "_" and "."';
const OBJECT = rule('an object of options', isOptionsObject, mustBeUnseen('an object of options'));
const MODULE = {
  backend: {
    required: true,
    rule: having('given, such as new LocalProcesses()', 'claim'),
  },
  cluster: { rule: rule(CLUSTER, isCluster) },
  defaults: { rule: nested('an object of options', TABLES.defaults) },
  apps: { rule: OBJECT },
  tree: { rule: nested('an object of options', TABLES.tree) },
  allow: { rule: nested('an object of options', TABLES.allow) },
  // Judged with `tree`, where the controllers are made.
  rest: { rule: OBJECT },
} as const satisfies Readonly<Record<keyof ElasticJobCloudModuleOptions, OptionRow>>;
const MODULE_TABLE = new OptionTable(MODULE, 'ElasticJobCloudModule');

/** Finds faults of the options, one text each. */
export function findOptionFaults(options: ElasticJobCloudModuleOptions): readonly string[] {
  const { apps } = options;
  return [
    ...MODULE_TABLE.findUnknown(options),
    ...MODULE_TABLE.findBroken(options),
    ...Object.entries(apps ?? {}).flatMap(([name, app]) => faultsOf(TABLES.apps(name), `apps.${name}`, app)),
  ];
}

function faultsOf(table: OptionTable, at: string, given: unknown): readonly string[] {
  if (!isOptionsObject(given)) return [`${at} must be an object of options`];
  return [...table.findUnknown(given), ...table.findBroken(given)];
}

/** Judges the cluster's name, which the tree may have. */
export function findClusterFault(cluster: string): string | undefined {
  return isCluster(cluster) ? undefined : `cluster must be ${CLUSTER}, but is ${show(cluster)}`;
}

function isCluster(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(value);
}
