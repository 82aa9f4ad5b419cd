import { METRICS, type MetricDefinition } from '../../../libs/elastic-job/src/nest/metrics/metrics.catalogue.js';
import { JOB_EVENTS } from '../../../libs/elastic-job/src/tracing/job-event.catalogue.js';
import { SPAN_ATTRIBUTES, SPANS } from '../../../libs/elastic-job/src/tracing/opentelemetry/spans.catalogue.js';
import { eventFields } from './event-fields.js';
import { code, GENERATED, table } from './markdown.js';
import type { Source } from './source.js';

const LIBRARY = 'libs/elastic-job/src';

/**
 * Types of words in events that no event names, since they stand in a text: the `cause` of `refused`, and how a run
 * that was handed over is told.
 */
const FURTHER_WORDS: readonly (readonly [string, string])[] = [
  [`${LIBRARY}/domain/run/begin.decision.ts`, 'BeginDecision'],
  [`${LIBRARY}/domain/run/hand-over.decision.ts`, 'HandOver'],
];

/** docs/reference/events.md */
export function eventsPage(source: Source): string {
  const fields = eventFields();
  const rows = Object.entries(JOB_EVENTS).map(([kind, description]) => [
    code(kind),
    (fields.get(kind) ?? []).map(code).join(', '),
    description,
  ]);
  return [
    EVENTS,
    table(['Event', 'Fields', 'What has happened'], rows),
    REFUSED,
    ...source
      .wordsIn([`${LIBRARY}/tracing/job-event.ts`, `${LIBRARY}/tracing/execution-event.ts`], FURTHER_WORDS)
      .map(({ name, words, text }) => `### ${code(name)}\n\n${words.map(code).join(', ')}\n\n${text}`),
    SKIPPED,
    source
      .textsOfCalls('skip')
      .map((text) => `- ${code(text)}`)
      .join('\n'),
  ].join('\n\n');
}

const EVENTS = `# Events

${GENERATED}

\`JobEvents.on\`, \`@OnJobEvent\` and the sinks of the module's \`tracing\` hear what happens to jobs, in the process in
which it happens. No event makes a request to the registry, and nothing waits for a listener: one that fails changes no
run. Events are frozen, with their lists and records, but for maps. Instants are milliseconds since the epoch, durations
end in \`Ms\`; a \`trigger\` has the job's name, the fire time, its origin and its source.

\`@OnJobEvent\` takes the name of an event below, or \`completed\` or \`failed\` for a \`settled\` one, and refuses any
other name. \`JobEvents.on\` takes a function that hears all events, and refuses what is no function.

What a listener emits before its first \`await\` is bounded: answers of answers to an event are told, and further ones
are dropped. Nothing else is. A listener of \`finished\` that calls \`JobOperateApi.trigger\` for the same job runs that
job for ever, one run after the other.

The application's log has a line for each of them, too, at one of Nest's levels. It leaves out those below \`log\`,
unless \`tracing: [{ type: 'log', level: 'debug' }]\` asks for them. While all is well a job has one line when it
joins and one when it leaves: who leads, who owns which item, and each step of a trigger are told at \`debug\`. A
command of an operator, such as a trigger, is told at \`log\`, once by each instance that takes it. A job that is late
all the time is told of once a minute. A message has at most 4 KB, and so has the stack of each error below it; one that
was cut says how long it was.`;

const REFUSED = `## Words in events

Values of the fields \`reason\`, \`state\`, \`source\`, \`requeue\` and \`marks\`, of \`cause\` of a
\`refused\` event, and of the log and a history for a run that was handed over. A
cause is one of \`BeginDecision\` but \`begin\`, or \`still running\`, \`behind\` or \`disabled\`. The
[questions](../faq.md#what-does-refused-foreign-mean) explain each of them.`;

const SKIPPED = `## Reasons of \`skipped\`

A trigger that is skipped was not run on this instance at all. Its \`reason\` is one of these texts, or the message of a
\`TIME_DIFFERENCE\` [error](errors.md#time_difference).`;

/** docs/reference/metrics.md */
export function metricsPage(): string {
  const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ]);
  return [METRICS_INTRODUCTION, table(['Metric', 'Type', 'Labels', 'What it tells'], rows), buckets()].join('\n\n');
}

const METRICS_INTRODUCTION = `# Metrics

${GENERATED}

\`ElasticJobMetricsModule.forRoot()\` (or \`forRootAsync\`) of \`nestjs-elastic-job/metrics\` (peer:
\`prom-client\`) serves
them at \`/metrics\`, without a request to the registry. Each process tells of itself: add the processes up. The label
\`job\` has at most \`maxJobs\` values (100), the names of the first jobs that something happened to; all further ones
share \`other\`, where counters and gauges are sums, and so do jobs that are not of the process. A job that has left the
process for good has its last values in one more scrape; then its series end, and its place is free. The label is empty
where no job is concerned.

Prometheus renames the label \`job\` to \`exported_job\`, since \`job\` is the name of the scrape, unless the scrape
says \`honor_labels: true\`. [Monitoring](../operate/monitoring.md) has alerts and a dashboard over these
metrics.`;

function buckets(): string {
  const definitions: [string, MetricDefinition][] = Object.entries(METRICS);
  const rows = definitions.flatMap(([name, { buckets: bounds }]) =>
    bounds === undefined ? [] : [[code(name), bounds.join(', ')]],
  );
  return `## Buckets\n\n${table(['Histogram', 'Upper bounds in seconds, unless `buckets` says otherwise'], rows)}`;
}

/** docs/reference/spans.md */
export function spansPage(): string {
  const kinds = Object.entries(SPANS).map(([kind, description]) => [code(`${kind} <job>`), description]);
  const attributes = Object.entries(SPAN_ATTRIBUTES).map(([name, { of, description }]) => [
    code(name),
    of.map(code).join(', '),
    description,
  ]);
  return [
    SPANS_INTRODUCTION,
    table(['Span', 'What it stands for'], kinds),
    '## Attributes',
    table(['Attribute', 'Of', 'Value'], attributes),
  ].join('\n\n');
}

const SPANS_INTRODUCTION = `# Spans

${GENERATED}

\`ElasticJobModule.forRoot({ tracer: openTelemetryTracer() })\` of \`nestjs-elastic-job/opentelemetry\` (peer:
\`@opentelemetry/api\`) makes them, by whatever SDK the application registers; without one there are none. A
handler runs
in the context of its item's span. A \`FAILOVER\` run and its items are linked to the run that they repeat: its
\`traceparent\` stands in the item's record until the item is settled. A process that dies exports no span of
what it had
begun; what its handlers had traced by then has the trace id of the link.
[OpenTelemetry](../operate/opentelemetry.md) shows how to set it up with an SDK.`;
