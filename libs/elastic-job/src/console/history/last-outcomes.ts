import type { FireTimeCell, FireTimesAnswer } from '../../tracing/index.js';
import type { RerunPreviewAnswer } from '../contract/index.js';

type Target = RerunPreviewAnswer['targets'][number];

/**
 * Lays over the preview of a re-run how its targets have ended so far, and whether their items have succeeded at a
 * later fire time.
 */
export function withOutcomes({ targets }: RerunPreviewAnswer, { columns }: FireTimesAnswer): RerunPreviewAnswer {
  const cells = new Map(columns.map(({ fireTime, items }) => [fireTime, items]));
  const latest = new Map<number, number>();
  for (const { fireTime, items } of columns) {
    for (const [item, { fate }] of items.entries()) if (fate === 'done') latest.set(item, fireTime);
  }
  const oldest = columns[0]?.fireTime ?? Infinity;
  return {
    targets: targets.map((target) => {
      const at = Date.parse(target.fireTime);
      const newerSuccess = (latest.get(target.item) ?? -Infinity) > at || (at < oldest ? null : false);
      return { ...target, last: lastOf(cells.get(at)?.[target.item]), newerSuccess };
    }),
  };
}

/** Neither a run that goes on nor a missed fire time is an outcome. */
function lastOf(cell: FireTimeCell | undefined): Target['last'] {
  if (cell?.fate === 'done') return 'succeeded';
  return cell?.fate === 'failed' ? 'failed' : null;
}
