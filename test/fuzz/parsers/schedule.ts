import { readFileSync } from 'node:fs';
import type { SpanContext } from '@opentelemetry/api';
import { CronSchedule, CronSyntaxError, TimeZoneError } from '../../../libs/elastic-job/src/domain/index.js';
import {
  formatTraceparent,
  parseTraceparent,
} from '../../../libs/elastic-job/src/tracing/opentelemetry/open-telemetry-tracer.js';
import type { FuzzedParser } from '../fuzzed-parser.js';

const { vectors }: { readonly vectors: readonly { readonly expression: string; readonly timeZone: string }[] } =
  JSON.parse(readFileSync(new URL('../../fixtures/quartz-vectors.json', import.meta.url), 'utf8'));
const NOW = Date.UTC(2027, 2, 27, 23, 59, 59);

export const cron: FuzzedParser<readonly (number | undefined)[]> = {
  name: 'cron',
  examples: [...new Set(vectors.map(({ expression }) => expression))],
  words: ['MON-FRI', 'L-3W', '6#3', 'JAN', '2199', '0/0', '22-2', '15W', '29 2 ?'],
  refusals: [CronSyntaxError],
  read: (text) => {
    const schedule = new CronSchedule(text, 'Europe/Berlin', 'natural');
    return [schedule.next(NOW), schedule.latest(NOW, NOW - 86_400_000)];
  },
};

export const timeZone: FuzzedParser<number> = {
  name: 'time-zone',
  examples: [...new Set(vectors.map((vector) => vector.timeZone)), 'UTC', 'GMT+8', 'GMT+08:00', 'GMT-0330', 'GMT'],
  words: ['GMT', 'Etc/', '+08:00', 'America/', 'Europe/Berlin'],
  refusals: [TimeZoneError],
  read: (text) => new CronSchedule('0 30 2 * * ?', text, 'natural').next(NOW),
};

export const traceparent: FuzzedParser<SpanContext> = {
  name: 'traceparent',
  examples: [
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-what-the-future-will-be',
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  ],
  words: ['-', 'ff', '00', '0123456789abcdef'],
  refusals: [],
  read: parseTraceparent,
  write: formatTraceparent,
};
