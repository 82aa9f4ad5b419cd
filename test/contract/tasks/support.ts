import { afterEach, beforeEach } from 'vitest';
import {
  isTaskEnd,
  type Claimed,
  type TaskBackend,
  type TaskHandle,
  type TaskOrder,
  type TaskState,
  type TaskStateName,
} from '../../../libs/elastic-job/src/cloud/index.js';
import { type Behaviour, HELD, orderOf, type TaskAdapter, type TaskHarness } from './harness.js';

/** One scheduler's view of the adapter, new for each test. */
export interface TaskStage {
  readonly harness: TaskHarness;
  readonly backend: TaskBackend;
  /** Claims a task, which must not exist yet. */
  launch(behaviour: Behaviour, given?: Partial<TaskOrder>): Promise<TaskHandle>;
  /** Claims a task, opens it, and waits until it runs. */
  run(behaviour: Behaviour, given?: Partial<TaskOrder>): Promise<TaskHandle>;
}

/** A new stage for each test of the surrounding suite. */
export function useStage(adapter: TaskAdapter): TaskStage {
  let harness: TaskHarness;
  let backend: TaskBackend;
  beforeEach(async () => {
    harness = await adapter.start();
    backend = await harness.backend();
  });
  afterEach(() => harness.stop());
  const launch: TaskStage['launch'] = async (behaviour, given) =>
    launched(await backend.claim(orderOf(harness.template(behaviour), given)));
  return {
    get harness() {
      return harness;
    },
    get backend() {
      return backend;
    },
    launch,
    async run(behaviour, given) {
      const handle = await launch(behaviour, given);
      await backend.open(handle, HELD);
      await stateOf(backend, handle, 'RUNNING');
      return handle;
    },
  };
}

export function launched(claimed: Claimed): TaskHandle {
  if (claimed.kind !== 'launched')
    throw new Error(`The task was to be launched, but the claim has said ${claimed.kind}.`);
  return claimed.handle;
}

/** The end of a task. */
export async function endOf(backend: TaskBackend, handle: TaskHandle): Promise<TaskState> {
  const states = await statesUntil(backend, handle, isTaskEnd);
  return states.at(-1)!;
}

/** Resolves once a task is, or was, in a state. @throws if it has ended without it */
export async function stateOf(backend: TaskBackend, handle: TaskHandle, name: TaskStateName): Promise<TaskState> {
  const states = await statesUntil(backend, handle, (state) => state.name === name || isTaskEnd(state));
  const last = states.at(-1)!;
  if (last.name !== name) throw new Error(`The task was to be ${name}: ${JSON.stringify(states)}`);
  return last;
}

/** The states that a watch reports, up to the one that is wanted. */
export async function statesUntil(
  backend: TaskBackend,
  handle: TaskHandle,
  isSought: (state: TaskState) => boolean,
): Promise<readonly TaskState[]> {
  const states: TaskState[] = [];
  for await (const state of backend.watch(handle, new AbortController().signal)) {
    states.push(state);
    if (isSought(state)) return states;
  }
  return states;
}

export async function listed(backend: TaskBackend): Promise<readonly TaskHandle[]> {
  const handles: TaskHandle[] = [];
  for await (const handle of backend.list()) handles.push(handle);
  return handles;
}
