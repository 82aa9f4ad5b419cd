import { ITEM_NODES, JobPaths } from '../../libs/elastic-job/src/coordination/index.js';
import { parentPath } from '../../libs/elastic-job/src/registry/node-map.js';

/** The methods of `JobPaths` that name a node. */
type NodeMethod = {
  [Name in keyof JobPaths]: JobPaths[Name] extends (...args: never[]) => string ? Name : never;
}[keyof JobPaths];

/** A row of nodes: the path and the text of each, by its number. */
export interface NodeRow {
  readonly name: string;
  readonly path: (index: number) => string;
  readonly text: (index: number) => string;
  /** Kind of the nodes. @default PERSISTENT */
  readonly mode?: 'EPHEMERAL';
}

const address = (index: number) => `10.9.${index >> 8}.${index & 255}`;
const instanceId = (index: number) => `${address(index)}@-@${index}`;
const labelled = (index: number) =>
  `jobInstanceId: ${instanceId(index)}\nlabels: nestjs-elastic-job/1 v=1.43.1\nserverIp: ${address(index)}\n`;
const nothing = () => '';

type Row = Omit<NodeRow, 'name'>;

/** Rows by the method that names their nodes. A method that is missing here is an error of types. */
const ROWS: Readonly<Record<NodeMethod, (paths: JobPaths) => Readonly<Record<string, Row>>>> = {
  instance: (paths) => ({
    'peers of Java': { path: (index) => paths.instance(instanceId(index)), text: nothing, mode: 'EPHEMERAL' },
    'instances of ours': { path: (index) => paths.instance(instanceId(index)), text: labelled, mode: 'EPHEMERAL' },
  }),
  session: (paths) => ({
    sessions: { path: (index) => paths.session(instanceId(index)), text: (index) => `clock ${index % 7}` },
  }),
  server: (paths) => ({ servers: { path: (index) => paths.server(address(index)), text: () => 'ENABLED' } }),
  departed: (paths) => ({ departures: { path: (index) => paths.departed(address(index)), text: nothing } }),
  trigger: (paths) => ({ triggers: { path: (index) => paths.trigger(instanceId(index)), text: nothing } }),
  cancel: (paths) => ({ cancellations: { path: (index) => paths.cancel(index), text: () => '{"run":"r"}' } }),
  // Without a text of theirs, since a thousand of them would all be run.
  rerun: (paths) => ({ 'open re-runs': { path: (index) => paths.rerun(`r${index}`), text: nothing } }),
  rerunItem: (paths) => ({
    'progress of a re-run': { path: (index) => paths.rerunItem('r', index), text: () => '{"ended":1,"failed":0}' },
  }),
  guarantee: () => ({}),
  guaranteeLatch: () => ({}),
  guaranteed: (paths) => ({
    'started items': { path: (index) => paths.guaranteed('started', index), text: nothing },
    'completed items': { path: (index) => paths.guaranteed('completed', index), text: nothing },
  }),
  dependent: (paths) => ({ dependents: { path: (index) => paths.dependent(`job-${index}`), text: nothing } }),
  queued: (paths) => ({ 'queued items': { path: (index) => paths.queued(index), text: nothing } }),
  item: (paths) => ({ items: { path: (index) => paths.item(index + 2), text: nothing } }),
  record: () => ({}),
  mark: () => ({}),
};

/** Rows of the nodes that a job has, for each parent of many. */
export function knownRows(paths: JobPaths): readonly NodeRow[] {
  const rows = Object.values(ROWS).flatMap((of) => Object.entries(of(paths)));
  return rows.map(([name, row]) => ({ name, ...row }));
}

/** One node of a kind below each item, such as a mark. */
export function itemRows(paths: JobPaths): readonly NodeRow[] {
  return ITEM_NODES.map((kind) => ({
    name: `${kind} of each item`,
    path: (index) => paths.mark(index, kind),
    text: (index) => (kind === 'instance' ? instanceId(index % 3) : ''),
  }));
}

/** Rows of nodes that no job has, below each node that may have children, and below the namespace. */
export function foreignRows(paths: JobPaths): readonly NodeRow[] {
  return parentsOf(paths).map((parent) => ({
    name: `unknown nodes below ${parent}`,
    path: (index) => `${parent === '/' ? '' : parent}/unknown-${index}`,
    text: nothing,
  }));
}

/** Every node above one that `JobPaths` names, and some that have no children, as all others have none. */
function parentsOf(paths: JobPaths): readonly string[] {
  const named = [
    ...Object.entries(paths)
      .filter(([, value]) => typeof value === 'string')
      .map(([, value]) => String(value)),
    ...gettersOf(paths),
    ...knownRows(paths).map(({ path }) => path(0)),
    paths.mark(0, 'record'),
    ...(['started', 'completed'] as const).map((phase) => `${paths.guaranteeLatch(phase)}/member`),
    `${paths.electionLatch}/member`,
    `${paths.failoverLatch}/member`,
    `${paths.config}/child`,
  ].filter((path) => path.startsWith(`${paths.root}/`) && !path.endsWith('/'));
  const parents = new Set(named.flatMap(ancestorsOf));
  return [...parents].toSorted();
}

function gettersOf(paths: JobPaths): string[] {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(JobPaths.prototype));
  const getters = properties.filter(([, property]) => property.get !== undefined);
  return getters.map(([name]) => String(Reflect.get(paths, name)));
}

function ancestorsOf(path: string): string[] {
  const parent = parentPath(path);
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)];
}
