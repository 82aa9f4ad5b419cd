/** Former and new owner (instance id) of an item. A new item has no former one, and one that ends no new one. */
export interface ItemMove {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Items whose owner a plan has changed, ascending. */
export type ItemMoves = ReadonlyMap<number, ItemMove>;

/**
 * Cause of a plan that has moved items.
 * - `crashed`: an owner was gone without having announced it;
 * - `left`: an owner leaves, or was shut down by an operator;
 * - `disabled`: an operator has disabled an owner's server;
 * - `total`: the total count has changed;
 * - `joined`: an instance without items got some;
 * - `operator`: none of these, so somebody has asked for a plan, or has changed the strategy or owners by hand.
 */
export type ReshardingCause = 'crashed' | 'left' | 'disabled' | 'total' | 'joined' | 'operator';

/** State of a former owner at the time of the plan. */
export type FormerOwnerState = 'available' | 'disabled' | 'leaving' | 'gone';

type Owners = ReadonlyMap<number, string>;

export function movesBetween(former: Owners, plan: Owners): ItemMoves {
  const items = [...new Set([...former.keys(), ...plan.keys()])].toSorted((a, b) => a - b);
  const moved = items.filter((item) => former.get(item) !== plan.get(item));
  return new Map(moved.map((item) => [item, { from: former.get(item), to: plan.get(item) }]));
}

/** The first cause that applies, in the order of `ReshardingCause`. Undefined if no item has moved. */
export function causeOfMoves(
  moves: ItemMoves,
  plan: Owners,
  stateOf: (instanceId: string) => FormerOwnerState,
): ReshardingCause | undefined {
  if (moves.size === 0) return undefined;
  const all = [...moves.values()];
  const states = new Set(all.flatMap(({ from }) => (from === undefined ? [] : stateOf(from))));
  if (states.has('gone')) return 'crashed';
  if (states.has('leaving')) return 'left';
  if (states.has('disabled')) return 'disabled';
  const isFirstPlan = moves.size === plan.size && all.every(({ from }) => from === undefined);
  const isTotalChanged = all.some(({ from, to }) => from === undefined || to === undefined);
  if (isTotalChanged && !isFirstPlan) return 'total';
  return isFirstPlan || hasNewcomer(moves, plan) ? 'joined' : 'operator';
}

/** True if an instance got items that had none. */
function hasNewcomer(moves: ItemMoves, plan: Owners): boolean {
  const owners = new Set([...plan].flatMap(([item, owner]) => (moves.has(item) ? [] : owner)));
  for (const { from } of moves.values()) if (from !== undefined) owners.add(from);
  return [...moves.values()].some(({ to }) => to !== undefined && !owners.has(to));
}
