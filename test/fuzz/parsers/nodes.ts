import { formatFence, parseFence } from '../../../libs/elastic-job/src/guards/zookeeper-guard.js';
import {
  type Arrival,
  formatArrival,
  formatPassed,
  parseArrival,
  parsePassed,
  type PassedRounds,
} from '../../../libs/elastic-job/src/coordination/guarantee/round-view.js';
import {
  formatClockOffset,
  formatInstance,
  formatTriggerRequest,
  type JobNode,
  JobPaths,
  parseClockOffset,
  parseInstance,
  parseTriggerRequest,
  type RegisteredInstance,
  type TriggerRequest,
} from '../../../libs/elastic-job/src/coordination/index.js';
import {
  type FencePosition,
  type EndedItems,
  formatEndedItems,
  formatParentProgress,
  formatRerun,
  formatRerunProgress,
  formatRunRecord,
  formatStartLedger,
  parseEndedItems,
  parseParentProgress,
  type ParentProgress,
  parseRerun,
  parseRerunProgress,
  parseRunRecord,
  parseStartLedger,
  readJson,
  type Rerun,
  type RerunProgress,
  type RunRecord,
  type StartLedger,
  type StoredRecord,
} from '../../../libs/elastic-job/src/domain/index.js';
import type { FuzzedParser } from '../fuzzed-parser.js';

const ID = '192.0.2.2@-@29348-1000244a21f0001';
const target = { fireTime: 1_790_000_000_000, origin: 'schedule' } as const;
const RECORD: RunRecord = { run: 'r1', by: ID, target, attempt: 1, begunAt: target.fireTime + 3 };
const settled = { at: RECORD.begunAt + 20, outcome: 'failed', cause: 'KILLED', isOwed: true } as const;
const RECORDS: readonly RunRecord[] = [
  RECORD,
  { ...RECORD, settled, executorDeaths: 2, trace: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
  {
    ...RECORD,
    triggers: ['t1', 't2'],
    lastScheduled: 1,
    owesAfter: 2,
    early: { after: 1, until: 9, fireTimes: [3, 4] },
  },
];

export const record: FuzzedParser<StoredRecord> = {
  name: 'record',
  examples: RECORDS.map((one) => formatRunRecord(one, 1)),
  words: ['"settled":{"at":1,"outcome":"failed"},', '"early":', '"mood":[1],', '"v":7,'],
  refusals: [],
  read: (text) => parseRunRecord(text, 5),
  write: (stored) => (stored.kind === 'record' ? formatRunRecord(stored.record, 1) : undefined),
};

export const instance: FuzzedParser<RegisteredInstance> = {
  name: 'instance',
  examples: [
    formatInstance({ jobInstanceId: ID, serverIp: '192.0.2.2' }),
    formatInstance({ jobInstanceId: ID, serverIp: '192.0.2.2', version: '1.43.1-rc.1+7' }),
    `jobInstanceId: ${ID}\nlabels: nestjs-elastic-job/1 v=1.43.1 can=reruns,bulk later=1\nserverIp: 192.0.2.2\n`,
    `jobInstanceId: ${ID}\nserverIp: 192.0.2.2\n`,
    ID,
  ],
  words: ['labels: nestjs-elastic-job/', 'serverIp: ', '\nlabels:', ' v=', ' can=', 'reruns,'],
  refusals: [],
  read: (text) => parseInstance(ID, '192.0.2.2', text),
  // The label that is written has the protocol and the abilities of this release.
  write: (one) => (one.protocol === 1 ? formatInstance(one) : undefined),
  essence: (one) => ({ ...one, can: undefined }),
  findFault: ({ protocol = 1 }) =>
    Number.isSafeInteger(protocol) && protocol >= 1 ? undefined : `has the protocol ${protocol}`,
};

export const session: FuzzedParser<number> = {
  name: 'session',
  examples: ['clock 250', 'clock -1', 'DRAINING', ''],
  words: ['clock ', 'DRAINING'],
  refusals: [],
  read: parseClockOffset,
  write: formatClockOffset,
};

export const trigger: FuzzedParser<TriggerRequest> = {
  name: 'trigger',
  examples: ['', formatTriggerRequest({ id: 't1', parameters: 'p "quoted"' }), '{"id":"t2"}'],
  words: ['"id":', '"parameters":'],
  refusals: [],
  read: parseTriggerRequest,
  write: formatTriggerRequest,
};

export const dependents: FuzzedParser<ParentProgress> = {
  name: 'dependents',
  examples: [
    '{"v":1,"closedUpTo":0,"runs":[]}',
    '{"v":1,"closedUpTo":1790000000000,"runs":[[1790000000001,["10000000000000003","2"]],[1790000000002,"failed"]]}',
  ],
  words: ['"closedUpTo":', '"runs":', '["ff","1"]', '"failed"'],
  refusals: [],
  read: parseParentProgress,
  write: formatParentProgress,
};

export const startsAfterOthers: FuzzedParser<StartLedger> = {
  name: 'after',
  examples: [
    '{"v":1,"parents":["import"],"pending":[[5,["import"]]],"starts":[[10,99]]}',
    formatStartLedger({
      parents: ['import', 'settle'],
      pending: new Map([[7_000, ['import']]]),
      starts: Array.from({ length: 150 }, (_, i) => ({ fireTime: 10 * i, at: 10 * i + 3 })),
    }),
  ],
  words: ['"parents":', '"pending":', '"starts":', '"earlier":[0,1,900],'],
  refusals: [],
  read: parseStartLedger,
  write: formatStartLedger,
};

export const ended: FuzzedParser<EndedItems> = {
  name: 'ended',
  examples: [
    '{"v":1,"ended":[{"items":[[2,9],[11,11]],"record":{"target":{"fireTime":5,"origin":"schedule"}}}]}',
    '{"v":1,"ended":[{"record":{"target":{"fireTime":5,"origin":"manual:a"},"lastScheduled":4,"triggers":["a"]}}]}',
  ],
  words: ['"ended":', '"items":[[0,9999]],', '"record":', '"target":', '"early":'],
  refusals: [],
  read: parseEndedItems,
  write: (one) => {
    const text = formatEndedItems(one);
    return isFolded(one, text) ? undefined : text;
  },
  findFault: (one) => {
    const { length } = formatEndedItems(one);
    return length <= 16_384 ? undefined : `has ${length} characters once it is written`;
  },
};

/** True if the records were too many to be told apart, so that one of them stands for all items. */
function isFolded({ records }: EndedItems, text: string): boolean {
  const again = parseEndedItems(text);
  return records.size > 0 && again.records.size === 0 && again.others !== undefined;
}

export const rerun: FuzzedParser<Rerun | undefined> = {
  name: 'rerun',
  examples: [
    formatRerun({ at: 9_000, items: [0, 3], fireTimes: [1_000, 2_000] }),
    formatRerun({ at: 9_000, items: [7], fireTimes: [1], parameters: 'p', anyTime: true, withdrawn: true }),
  ],
  words: ['"at":', '"items":[0,1],', '"fireTimes":', '"withdrawn":true,'],
  refusals: [],
  read: parseRerun,
  write: (one) => one && formatRerun(one),
};

export const rerunProgress: FuzzedParser<RerunProgress | undefined> = {
  name: 'rerun-progress',
  examples: [formatRerunProgress({ ended: 3, failed: 1 })],
  words: ['"ended":', '"failed":'],
  refusals: [],
  read: parseRerunProgress,
  write: (one) => one && formatRerunProgress(one),
};

export const arrival: FuzzedParser<Arrival> = {
  name: 'arrival',
  examples: ['', formatArrival({ by: ID, round: target })],
  words: ['"by":', '"round":', '"fireTime":', '"origin":'],
  refusals: [],
  read: parseArrival,
  write: formatArrival,
};

export const passedRounds: FuzzedParser<PassedRounds> = {
  name: 'passed-rounds',
  examples: ['', formatPassed({ started: target, completed: { ...target, origin: 'manual:t1' } })],
  words: ['"started":', '"completed":', '"fireTime":', '"origin":'],
  refusals: [],
  read: parsePassed,
  write: formatPassed,
};

const paths = new JobPaths('myJob');

export const path: FuzzedParser<JobNode> = {
  name: 'path',
  examples: [
    [paths.config, paths.instance(ID), paths.session(ID), paths.server('192.0.2.2'), paths.leader, paths.term],
    [paths.record(3), paths.mark(12, 'failovering'), paths.queued(4), paths.cancel(0), paths.trigger(ID)],
    [paths.rerun('r1'), paths.rerunItem('r1', 3)],
    [paths.guaranteed('started', 1), paths.guarantee('completed'), paths.after, paths.nextInstanceIp, paths.items],
  ].flat(),
  words: ['/sharding/', '/running', '/guarantee/started/', '/cancel/'],
  refusals: [],
  read: (text) => paths.parse(text),
  // An item has one path only. With two, its nodes would be looked for in the wrong place.
  findFault: (node) => {
    const { item = 0 } = 'item' in node ? node : {};
    return Number.isSafeInteger(item) && item >= 0 ? undefined : `stands for the item ${item}`;
  },
};

export const fence: FuzzedParser<FencePosition> = {
  name: 'fence',
  examples: [formatFence({ tokenEpoch: 0, token: 2n ** 62n }), formatFence({ tokenEpoch: 7, token: 1n })],
  words: ['"tokenEpoch":', '"token":"'],
  refusals: [],
  read: parseFence,
  write: formatFence,
};

export const json: FuzzedParser = {
  name: 'json',
  examples: ['{"by":"a","round":{"fireTime":1}}', '[[1,["ff","0"]],[2,"failed"]]', '"text"', '1'],
  refusals: [],
  read: readJson,
  write: (value) => JSON.stringify(value),
};
