import type { NodeOperation, Refusal, RequestFailureRule } from '../../../libs/elastic-job/src/registry/index.js';
import type { Disturbance } from './plan.js';
import type { SimulatedInstance } from './simulated-instance.js';
import type { World } from './world.js';

/** Answer of a server to writes, or to all requests. `isApplied`: it has done the request nevertheless. */
type OddAnswer =
  | { readonly refusal: keyof typeof MAY_REFUSE }
  | { readonly code: number; readonly to: 'writes' | 'requests'; readonly isApplied: boolean };

/** The operations that a server may refuse in each way. */
const MAY_REFUSE: Readonly<
  Record<Exclude<Refusal, 'NO_CHILDREN_FOR_EPHEMERALS'>, (operation: NodeOperation) => boolean>
> = {
  NO_NODE: () => true,
  NODE_EXISTS: ({ kind }) => kind === 'create',
  BAD_VERSION: (operation) => operation.kind !== 'create' && operation.version !== undefined,
  NOT_EMPTY: ({ kind }) => kind === 'delete',
};

/** No right, quota, read-only, throttled: nothing is applied. */
const REFUSING: readonly (readonly [number, 'writes' | 'requests'])[] = [
  [-102, 'writes'],
  [-125, 'writes'],
  [-119, 'writes'],
  [-127, 'requests'],
];
/** Timeouts of the server's own, its failure, and a code of a later version: the request may have been applied. */
const UNCLEAR: readonly (readonly [number, 'writes' | 'requests'])[] = [
  [-7, 'requests'],
  [-122, 'writes'],
  [-1, 'writes'],
  [-999, 'writes'],
];
/** All odd answers, each with the same probability. */
export const ODD_ANSWERS: readonly OddAnswer[] = [
  ...(['NO_NODE', 'NODE_EXISTS', 'BAD_VERSION', 'NOT_EMPTY'] as const).map((refusal) => ({ refusal })),
  ...REFUSING.map(([code, to]) => ({ code, to, isApplied: false })),
  ...UNCLEAR.flatMap(([code, to]) => [true, false].map((isApplied) => ({ code, to, isApplied }))),
];
/** Longest wait of a single odd answer for a request, in milliseconds. */
const LONGEST_WAIT_MS = 2_000;
/** Time within which a request with an odd answer is repeated, in milliseconds. */
const REPEATED_MS = 1_000;

/** Servers that refuse requests or hide their effects: for one client, once or for a while. */
export class OddAnswers {
  /** Functions that end the lasting ones. */
  private readonly open = new Set<() => void>();

  /** @param later acts after so many milliseconds, unless everything has been repaired by then */
  constructor(
    private readonly world: World,
    private readonly later: (ms: number, act: () => void) => void,
  ) {}

  begin(victim: SimulatedInstance, { ms, what }: Disturbance): void {
    const id = victim.sessionId;
    if (victim.state !== 'running' || victim.isCut || id === undefined) return;
    const answer = ODD_ANSWERS[Math.floor(what * ODD_ANSWERS.length)]!;
    if (ms > 0) return this.answerFor(victim, id, answer, ms);
    const end = this.answer(id, answer, () => {
      end();
      this.answerFor(victim, undefined, answer, REPEATED_MS);
    });
    this.later(LONGEST_WAIT_MS, end);
  }

  end(): void {
    for (const end of this.open) end();
    this.open.clear();
  }

  /** @param id undefined: it got one odd answer, and is noted as a client that has to ask again */
  private answerFor(victim: SimulatedInstance, id: string | undefined, answer: OddAnswer, ms: number): void {
    const fault = `is answered ${nameOf(answer)}`;
    this.world.note({ kind: 'fault', fault, instance: victim.index, lasts: true });
    const end = id === undefined ? () => {} : this.answer(id, answer, () => {});
    this.later(ms, () => {
      end();
      this.world.note({ kind: 'healed', fault, instance: victim.index });
    });
  }

  /** @param answered called with each such answer @returns a function that ends it */
  private answer(id: string, answer: OddAnswer, answered: () => void): () => void {
    const { registry } = this.world;
    const give = <T>(given: T): T => {
      answered();
      return given;
    };
    const fail: RequestFailureRule = (sessionId) => {
      if (sessionId !== id || !('code' in answer)) return undefined;
      return give(answer.isApplied ? { code: answer.code, isApplied: true } : answer.code);
    };
    const stop =
      'refusal' in answer
        ? registry.fail((operation, sessionId) =>
            sessionId === id && MAY_REFUSE[answer.refusal](operation) ? give(answer.refusal) : undefined,
          )
        : answer.to === 'requests'
          ? registry.failRequests(fail)
          : registry.fail((_, sessionId) => fail(sessionId));
    const end = () => {
      this.open.delete(end);
      stop();
    };
    this.open.add(end);
    return end;
  }
}

function nameOf(answer: OddAnswer): string {
  if ('refusal' in answer) return answer.refusal;
  return `${answer.code} to ${answer.to}, ${answer.isApplied ? 'applied' : 'not applied'}`;
}
