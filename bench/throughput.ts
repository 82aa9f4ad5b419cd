import type { Contestant } from './contestants.js';

export const OPERATIONS = ['get', 'set', 'create', 'multi of 10'] as const;
type OperationName = (typeof OPERATIONS)[number];

const OUTSTANDING = 100;
/** Requests of one turn. A contestant has several turns in a round, so that disturbances of the machine meet both. */
const PER_TURN: Readonly<Record<OperationName, number>> = { get: 3_000, set: 2_000, create: 1_500, 'multi of 10': 500 };
const TURNS = 6;
const NODES = 1_000;
const PER_MULTI = 10;
const DATA = 'x'.repeat(100);

/** Requests per second of each contestant, by operation, one number a round. */
export type Results = Readonly<Record<OperationName, readonly Pair<number>[]>>;
export type Pair<T> = readonly [T, T];

/** Lets two contestants do the same work in turns. @param rounds after a warm-up round that does not count */
export async function compare(contestants: Pair<Contestant>, rounds: number): Promise<Results> {
  for (const contestant of contestants) await inParallel(NODES, (n) => contestant.create(nodeName(n), DATA));
  const results: Record<OperationName, Pair<number>[]> = { get: [], set: [], create: [], 'multi of 10': [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const operation of OPERATIONS) {
      const rates = await oneRound(contestants, operation, round);
      if (round > 0) results[operation].push(rates);
    }
  }
  return results;
}

async function oneRound(contestants: Pair<Contestant>, operation: OperationName, round: number): Promise<Pair<number>> {
  const count = PER_TURN[operation];
  const tookMs: [number, number] = [0, 0];
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const index of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const request = requestOf(contestants[index], operation, `${round}-${turn}`);
      const begun = performance.now();
      await inParallel(count, request);
      tookMs[index] += performance.now() - begun;
    }
  }
  const rate = (ms: number) => (TURNS * count * 1_000) / ms;
  return [rate(tookMs[0]), rate(tookMs[1])];
}

function requestOf(contestant: Contestant, operation: OperationName, turn: string): (n: number) => Promise<unknown> {
  switch (operation) {
    case 'get':
      return (n) => contestant.get(nodeName(n));
    case 'set':
      return (n) => contestant.set(nodeName(n), DATA);
    case 'create':
      return (n) => contestant.create(`created-${turn}-${n}`, DATA);
    case 'multi of 10':
      return (n) => {
        const nodes = Array.from({ length: PER_MULTI }, (_, k) => nodeName(n * PER_MULTI + k));
        return contestant.multi(nodes, DATA);
      };
    default:
      return operation satisfies never;
  }
}

async function inParallel(count: number, request: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      next += 1;
      await request(next);
    }
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, lane));
}

function nodeName(n: number): string {
  return `node-${n % NODES}`;
}
