import type { TaskBackend, TaskHandle, TaskLink, TaskOrder } from '../../../libs/elastic-job/src/cloud/index.js';
import { isTaskEnd } from '../../../libs/elastic-job/src/cloud/index.js';
import type { MemoryRegistryCenter, Operation, RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import type { Mutant } from './mutants.js';
import { changing, overriding, RECORD } from './overriding.js';

/** Mutants of tasks, found in histories of jobs whose items are tasks. */
export const TASK_MUTANTS: readonly Mutant[] = [
  { name: 'gate', foundBy: [29, 30], mutation: { backend: withoutGate } },
  { name: 'settle before release', foundBy: [31], mutation: { backend: withEarlyRelease } },
  { name: 'one name of an item', foundBy: [29], mutation: { backend: withFireTimeInName } },
  { name: 'token of an adoption', foundBy: [33], mutation: { backend: withoutToken } },
  { name: 'innocence of deaths', foundBy: [32], mutation: { through: withCountedInnocents } },
  { name: 'raised launch', foundBy: [30, 33], mutation: { backend: withoutLaunches } },
  { name: 'look for leftovers', foundBy: [35], mutation: { backend: withoutList } },
  { name: 'look for gated leftovers', foundBy: [35], mutation: { backend: withoutGatedInList } },
  { name: 'hold of the unreachable', foundBy: [29], mutation: { backend: withoutUnreachable } },
];

const UNLINKED: TaskLink = {
  heldForMs: () => 0,
  lossGraceMs: 0,
  isLost: () => false,
  saveCheckpoint: () => Promise.resolve(),
};

/** A task runs as soon as it is made, before its run is known to be the latest. */
function withoutGate(backend: TaskBackend): TaskBackend {
  return overriding<TaskBackend>(backend, {
    claim: async (order, signal) => {
      const claimed = await backend.claim(order, signal);
      if (claimed.kind === 'launched') await backend.open(claimed.handle, UNLINKED);
      return claimed;
    },
  });
}

/** A task is released as soon as its end is known. */
function withEarlyRelease(backend: TaskBackend): TaskBackend {
  return overriding<TaskBackend>(backend, {
    async *watch(handle, signal) {
      for await (const state of backend.watch(handle, signal)) {
        if (isTaskEnd(state)) await backend.release(handle);
        yield state;
      }
    },
  });
}

/** Each fire time has a place of its own. */
function withFireTimeInName(backend: TaskBackend): TaskBackend {
  return overriding<TaskBackend>(backend, {
    claim: (order, signal) => {
      const { key, target } = order;
      return backend.claim({ ...order, key: { ...key, jobName: `${key.jobName}@${target.fireTime}` } }, signal);
    },
  });
}

/** Every claim of a task succeeds, and its former holder still holds it. */
function withoutToken(backend: TaskBackend): TaskBackend {
  const newest = (handle: TaskHandle): TaskHandle => ({ ...handle, token: 2n ** 62n });
  return overriding<TaskBackend>(backend, {
    claim: (order, signal) => backend.claim(withRisingToken(order), signal),
    open: (handle, link, signal) => backend.open(newest(handle), link, signal),
    cancel: (handle, graceMs) => backend.cancel(newest(handle), graceMs),
    release: (handle) => backend.release(newest(handle)),
  });
}

let risen = 2n ** 60n;

/** An order whose token is greater in each comparison. */
function withRisingToken(order: TaskOrder): TaskOrder {
  const rising: TaskOrder = Object.create(order, { token: { get: () => (risen += 1n) } });
  return rising;
}

/** A task that cannot be reached counts as ended. */
function withoutUnreachable(backend: TaskBackend): TaskBackend {
  return overriding<TaskBackend>(backend, {
    async *watch(handle, signal) {
      for await (const state of backend.watch(handle, signal)) {
        yield state.name === 'UNREACHABLE' ? { name: 'GONE' } : state;
      }
    },
  });
}

/** Every death counts, also an innocent one. */
function withCountedInnocents(center: MemoryRegistryCenter): RegistryCenter {
  const counted = (operation: Operation): Operation => {
    if (operation.kind !== 'set' || !RECORD.test(operation.path)) return operation;
    if (!/"cause":"(LOST|DROPPED|GONE|UNKNOWN)"/.test(operation.data)) return operation;
    const record: { readonly executorDeaths?: number } = JSON.parse(operation.data);
    return { ...operation, data: JSON.stringify({ ...record, executorDeaths: (record.executorDeaths ?? 0) + 1 }) };
  };
  return changing(center, (operations, send) => send(operations.map(counted)));
}

/** Every launch of a target is the first one. */
function withoutLaunches(backend: TaskBackend): TaskBackend {
  return overriding<TaskBackend>(backend, {
    claim: (order, signal) => backend.claim({ ...order, target: { ...order.target, launch: 1 } }, signal),
  });
}

/** No scheduler sees the tasks of others. */
function withoutList(backend: TaskBackend): TaskBackend {
  return overriding<TaskBackend>(backend, { async *list() {} });
}

/** No scheduler sees tasks whose gate is closed. */
function withoutGatedInList(backend: TaskBackend): TaskBackend {
  return overriding<TaskBackend>(backend, {
    async *list(signal) {
      for await (const handle of backend.list(signal)) if (!handle.isGated) yield handle;
    },
  });
}
