import { type GuaranteePhase, isSameRound, type Target } from '../../domain/index.js';
import { creation, type Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';
import { type Arrival, formatArrival, formatPassed, parseArrival, parsePassed } from './arrival-text.js';

/** Undefined if the item has not arrived, or a Java peer has arrived for it. */
export function arrivalOf(tree: JobTree, phase: GuaranteePhase, item: number): Arrival | undefined {
  return parseArrival(tree.node(tree.paths.guaranteed(phase, item))?.data ?? '');
}

/** True if the listener was called for this round, or for a later one. */
export function isPassed(tree: JobTree, phase: GuaranteePhase, round: Target): boolean {
  const passed = parsePassed(tree.node(tree.paths.guarantees)?.data ?? '')[phase];
  return passed !== undefined && (passed.fireTime > round.fireTime || isSameRound(passed, round));
}

/**
 * Operations of an instance whose items arrive; empty if they have arrived already. Leftovers of dead instances are
 * removed.
 */
export function arrive(tree: JobTree, phase: GuaranteePhase, items: readonly number[], arrival: Arrival): Operation[] {
  const { paths } = tree;
  const data = formatArrival(arrival);
  const parents = [paths.guarantees, paths.guarantee(phase)].filter((path) => !tree.has(path));
  const dead = tree.arrived(phase).filter((item) => {
    const left = arrivalOf(tree, phase, item);
    return left !== undefined && !tree.hasInstance(left.by) && !items.includes(item);
  });
  return [
    ...parents.map((path) => creation(path)),
    ...dead.map((item) => remove(paths.guaranteed(phase, item))),
    ...items.flatMap((item): Operation[] => {
      const path = paths.guaranteed(phase, item);
      if (!tree.has(path)) return [creation(path, data)];
      return tree.node(path)?.data === data ? [] : [{ kind: 'set', path, data }];
    }),
  ];
}

/** Ends a round, so that all instances that wait for it go on. */
export function pass(tree: JobTree, phase: GuaranteePhase, round: Target): Operation[] {
  const path = tree.paths.guarantees;
  const passed = parsePassed(tree.node(path)?.data ?? '');
  const isOfLater = (item: number) => {
    const arrival = arrivalOf(tree, phase, item);
    return arrival !== undefined && tree.hasInstance(arrival.by) && !isSameRound(arrival.round, round);
  };
  return [
    { kind: 'set', path, data: formatPassed({ ...passed, [phase]: round }), version: tree.stat(path)?.version },
    ...removeArrivals(tree, phase, (item) => !isOfLater(item)),
  ];
}

/** Removes arrivals, and with the last one the phase itself, for which Java's instances wait. */
export function removeArrivals(tree: JobTree, phase: GuaranteePhase, isMeant: (item: number) => boolean): Operation[] {
  const { paths } = tree;
  if (!tree.has(paths.guarantee(phase))) return [];
  const arrived = tree.arrived(phase);
  const removed = arrived.filter(isMeant);
  const operations = removed.map((item) => remove(paths.guaranteed(phase, item)));
  return removed.length === arrived.length ? [...operations, remove(paths.guarantee(phase))] : operations;
}

function remove(path: string): Operation {
  return { kind: 'delete', path };
}
