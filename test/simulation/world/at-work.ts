import type { ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import type { SimulatedInstance } from './simulated-instance.js';
import type { World } from './world.js';

/** Waits for a while for processes whose handlers are in the middle of work of that kind. */
export function whenAtWork(
  world: World,
  act: (atWork: readonly SimulatedInstance[]) => void,
  isMeant: (context: ShardingContext) => boolean = () => true,
  triesLeft = 100,
): void {
  const isAtWork = ({ state, work }: SimulatedInstance) => state === 'running' && [...work.keys()].some(isMeant);
  const atWork = world.instances.filter(isAtWork);
  if (atWork.length > 0) act(atWork);
  else if (triesLeft > 0) world.clock.setTimer(50, () => whenAtWork(world, act, isMeant, triesLeft - 1));
}
