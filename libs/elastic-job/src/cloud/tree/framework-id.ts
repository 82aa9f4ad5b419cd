import type { Clock } from '../../clock/index.js';
import { untilAccepted } from '../../coordination/index.js';
import { creation, type Operation, type RegistryCenter } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { CLOUD_PATHS } from './cloud-paths.js';

/**
 * The id of all schedulers of the namespace, created by the first of them and kept. An id that ElasticJob-Cloud has got
 * from Mesos stays.
 * @see ElasticJob-Cloud 3.0.2, `FrameworkIDService`
 */
export function frameworkId(registry: RegistryCenter, clock: Clock): Promise<string> {
  const path = CLOUD_PATHS.frameworkId;
  return repeat(untilAccepted('framework', 'its id'), async () => {
    const node = await registry.read(path);
    if (node !== undefined && node.data !== '') return node.data;
    const data = clock.uuid();
    if (node === undefined) await registry.ensurePath(CLOUD_PATHS.ha);
    const write: Operation =
      node === undefined ? creation(path, data) : { kind: 'set', path, data, version: node.stat.version };
    return (await registry.transaction([write])).kind === 'committed' ? data : undefined;
  });
}
