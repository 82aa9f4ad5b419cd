import type { Findings } from './findings.js';
import type { ImportedRegistry } from './imported.js';
import { REGISTRY_ADVICE, REGISTRY_PART_ADVICE, UNKNOWN_ADVICE } from './remedies.js';
import { type Leaf, pathText } from './settings-tree.js';
import { groupOf, type Shape } from './spring-group.js';

/** @see ElasticJob, `ZookeeperProperties` of every release 3.0.x */
const SHAPES: Readonly<Record<string, Shape>> = {
  serverLists: 'word',
  namespace: 'word',
  baseSleepTimeMilliseconds: 'word',
  maxSleepTimeMilliseconds: 'word',
  maxRetries: 'word',
  sessionTimeoutMilliseconds: 'word',
  connectionTimeoutMilliseconds: 'word',
  digest: 'word',
  type: 'word',
};
const PATH = 'elasticjob.regCenter';
/** A path behind the servers, in which Curator puts the namespace. */
const SERVERS_AND_PATH = /^(?<servers>[^/]*)\/(?<path>[^,]*)$/;

/** The registry of `elasticjob.regCenter`. @param leaves with paths below it */
export function importSpringRegistry(leaves: readonly Leaf[], findings: Findings): ImportedRegistry | undefined {
  const { mapping, unknown, placeOf } = groupOf(findings, leaves, SHAPES);
  for (const { path, text, at } of unknown) findings.leaveOut(`${PATH}.${pathText(path)}`, text, at, UNKNOWN_ADVICE);
  const leaveOut = (key: string, advice: typeof UNKNOWN_ADVICE) =>
    findings.leaveOut(`${PATH}.${key}`, mapping.text(key) ?? '', placeOf(key)!, advice);
  for (const [key, advice] of Object.entries(REGISTRY_ADVICE)) {
    const isOurs = key === 'type' && mapping.text(key)?.toLowerCase() === 'zookeeper';
    if (mapping.has(key) && !isOurs) leaveOut(key, advice);
  }
  const timeouts = {
    sessionTimeoutMs: mapping.integerOr('sessionTimeoutMilliseconds', []),
    connectionTimeoutMs: mapping.integerOr('connectionTimeoutMilliseconds', []),
  };
  const digest = mapping.text('digest');
  const [serverLists, given] = [mapping.text('serverLists'), mapping.text('namespace')];
  findings.problems.push(...mapping.problems);
  if (!serverLists || !given) {
    if (serverLists) leaveOut('serverLists', REGISTRY_PART_ADVICE);
    if (given) leaveOut('namespace', REGISTRY_PART_ADVICE);
    return undefined;
  }
  const { servers = serverLists, path } = SERVERS_AND_PATH.exec(serverLists)?.groups ?? {};
  return {
    type: 'zookeeper',
    servers,
    namespace: path ? `${path}/${given}` : given,
    // Of 0 Curator makes its default.
    ...Object.fromEntries(Object.entries(timeouts).filter(([, ms]) => ms)),
    ...(digest ? { digest } : {}),
  };
}
