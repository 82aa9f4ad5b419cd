import { type JobPaths, maskConfiguration } from '../coordination/index.js';
import { isObject, readFields, type RunningTask, type RunRecord } from '../domain/index.js';
import type { RegistryNode } from '../registry/index.js';

const HIDDEN = 'hidden';

/** Fields that a dump shows: `true` for a whole value, or the fields of an object. All others are hidden. */
type Shown = true | { readonly [field: string]: Shown | undefined };
type ShownOf<Fields> = { readonly [Field in keyof Required<Fields>]: Shown | undefined };

const RECORD: ShownOf<RunRecord & { readonly v: number }> = {
  v: true,
  run: true,
  by: true,
  // An operator's parameters are left out.
  target: { fireTime: true, origin: true },
  attempt: true,
  begunAt: true,
  lastScheduled: true,
  owesAfter: true,
  triggers: true,
  early: { after: true, until: true, fireTimes: true },
  stopped: { run: true, cause: true },
  settled: { at: true, outcome: true, cause: true, isOwed: true },
  executorDeaths: true,
  launch: true,
  isAdoptable: true,
  trace: true,
};

const TASK: ShownOf<RunningTask> = {
  id: true,
  backend: true,
  run: true,
  launch: true,
  source: true,
  state: true,
  since: true,
  detail: undefined,
  node: true,
};

type Show = (text: string) => string;
const whole: Show = (text) => text;
const nothing: Show = () => HIDDEN;

/** Parts of a node's text that a dump shows. A new kind of node does not compile before it stands in the table. */
const SHOWN: { readonly [Kind in ReturnType<JobPaths['parse']>['kind']]: Show } = {
  root: whole,
  config: (text) => `${maskConfiguration(text)}\n`,
  'usable-config': (text) => `${maskConfiguration(text)}\n`,
  leader: whole,
  'resharding-flag': whole,
  'resharding-processing': whole,
  'next-instance-ip': whole,
  parent: nothing,
  laid: nothing,
  after: whole,
  'counting-lock': whole,
  other: nothing,
  trigger: nothing,
  guarantee: whole,
  instance: whole,
  session: whole,
  server: whole,
  'queued-item': whole,
  cancel: whole,
  item: nothing,
  'item-instance': whole,
  'item-running': whole,
  'item-misfire': whole,
  'item-disabled': whole,
  'item-failover': whole,
  'item-failovering': whole,
  'item-record': (text) => fieldsOf(text, RECORD),
  'item-checkpoint': nothing,
  'item-task': (text) => fieldsOf(text, TASK),
};

/**
 * A node as a dump shows it: only what is known to hold no parameters, props, extra configurations, and no free texts
 * of handlers and operators.
 */
export function withoutSecrets(paths: JobPaths, node: RegistryNode): RegistryNode {
  if (node.data === '' || isKnown(paths, node.path)) return node;
  return { ...node, data: SHOWN[paths.parse(node.path).kind](node.data) };
}

/** Nodes with names and numbers alone that have no kind of their own, since no decision reads them by events. */
function isKnown(paths: JobPaths, path: string): boolean {
  return [paths.dependents, paths.guarantees, paths.term, paths.systemTime].includes(path);
}

function fieldsOf(text: string, shown: Shown): string {
  const fields = readFields(text);
  return fields === undefined ? HIDDEN : JSON.stringify(masked(fields, shown));
}

function masked(value: unknown, shown: Shown | undefined): unknown {
  if (shown === true) return value;
  if (shown === undefined || !isObject(value)) return HIDDEN;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    masked(field, Object.hasOwn(shown, name) ? shown[name] : undefined),
  ]);
  return Object.fromEntries(fields);
}
