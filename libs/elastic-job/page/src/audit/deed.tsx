import type { AuditEntry } from '../../../src/console/contract/answers.js';
import { pathTo } from '../api/index.js';
import { Text, texts } from '../text/index.js';

interface DeedProps {
  readonly entry: AuditEntry;
  /** Leaves the name of the job out. */
  readonly isOfJob?: boolean;
}

/** Tells in a line who has done what to what. */
export function Deed({ entry: { action, by, target, who }, isOfJob = false }: DeedProps) {
  const { actions, audit: t, itemsNamed } = texts.value;
  const { item, job, server } = target;
  return (
    <>
      <b>{by === 'outside' ? t.outside : who === null ? t.somebody : <Text>{who}</Text>}</b>{' '}
      {actions[action] ?? <Text>{action}</Text>}{' '}
      {job !== undefined && !isOfJob && (
        <a href={pathTo('jobs', job)}>
          <code>
            <Text>{job}</Text>
          </code>
        </a>
      )}
      {job !== undefined && isOfJob && item === undefined && t.thisJob}{' '}
      {item !== undefined && itemsNamed(1, String(item))}{' '}
      {server !== undefined && job !== undefined && `${t.onServer} `}
      {server !== undefined && (
        <a href={pathTo('servers', server)}>
          <code>
            <Text>{server}</Text>
          </code>
        </a>
      )}
    </>
  );
}
