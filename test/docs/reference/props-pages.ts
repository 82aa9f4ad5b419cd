import ts from 'typescript';
import { code, GENERATED, optionGroup, table } from './markdown.js';
import type { Source } from './source.js';

/** A prop as the docstring of its class lists it. */
export interface Prop {
  readonly name: string;
  /** `required`, `none`, or the value. */
  readonly default: string;
  readonly text: string;
}

const LIST = /^Props:\n((?:- [\s\S]*?)(?=\n\n|(?![\s\S])))/m;

/** The props that a class or interface lists in its docstring. */
export function propsOf(source: Source, name: string): readonly Prop[] {
  const [, list = ''] = LIST.exec(source.docOf(source.public(name)).text) ?? [];
  return list.split(/^- /m).flatMap((line) => {
    const [, prop, value, text] = /^`(.+?)` \((.+?)\): ([\s\S]+)$/.exec(line.trim()) ?? [];
    return prop === undefined || value === undefined || text === undefined
      ? []
      : [{ name: prop, default: value, text: text.replaceAll(/\s+/g, ' ') }];
  });
}

/** docs/reference/error-handlers.md */
export function errorHandlersPage(source: Source): string {
  return [
    ERROR_HANDLERS,
    channel(source, 'WECHAT', 'WechatErrorHandler'),
    channel(source, 'DINGTALK', 'DingtalkErrorHandler'),
    channel(source, 'SLACK', 'SlackErrorHandler'),
    channel(source, 'WEBHOOK', 'WebhookErrorHandler'),
    channel(source, 'EMAIL', 'EmailErrorHandler'),
    ...[
      'ChatErrorHandlerOptions',
      'DingtalkErrorHandlerOptions',
      'WebhookErrorHandlerOptions',
      'EmailErrorHandlerOptions',
    ].map((name) => optionGroup(source, name)),
  ].join('\n\n');
}

/** docs/reference/job-types.md */
export function jobTypesPage(source: Source): string {
  return [
    JOB_TYPES,
    section(source, 'DATAFLOW', 'DataflowJob'),
    section(source, 'HTTP', 'HttpJobType'),
    section(source, 'SCRIPT', 'ScriptJobType'),
    optionGroup(source, 'ScriptJobOptions'),
  ].join('\n\n');
}

/** A type that exists only where the module is given it. */
function channel(source: Source, type: string, name: string): string {
  return section(source, type, name, `\n- To be given: ${code(`errorHandlers: [new ${name}(…)]`)}`);
}

function section(source: Source, type: string, name: string, more = ''): string {
  const symbol = source.public(name);
  const props = propsOf(source, name);
  if (props.length === 0) source.faults.push(`${name} lists no props in its docstring`);
  const text = source.docOf(symbol).text.replace(LIST, '').trim();
  const rows = props.map((prop) => [code(prop.name), defaultText(prop.default), prop.text]);
  const form = (symbol.flags & ts.SymbolFlags.Interface) === 0 ? 'Class' : 'Interface';
  const place = `- ${form}: ${code(name)} of ${code(source.entryOf(symbol) ?? '')}${more}`;
  return [`## ${code(type)}`, text, place, table(['Prop', 'Default', 'Meaning'], rows)].join('\n\n');
}

function defaultText(value: string): string {
  return ['required', 'none'].includes(value) || value.includes(' ') ? value : code(value);
}

const ERROR_HANDLERS = `# Error handlers

${GENERATED}

A job names its error handler as [\`jobErrorHandlerType\`](options.md#joberrorhandlertype). Three are built in and need
nothing: \`LOG\`, the default, makes an \`error\` event of each item that fails, which the log has; \`IGNORE\` makes
none; \`THROW\` makes one for all items of the run.

The others below send a message, and **none of them is there unless the module is given it**, in
[\`errorHandlers\`](module-options.md#errorhandlers): nothing leaves a process that has not enabled a channel. The start
is refused for a job that names one that was not given, and the error says which to add. Their settings are among the
job's [\`props\`](options.md#props), or are given to the handler when the application makes it. Give a secret to the
handler: props stand in the registry.

\`\`\`ts
import { Injectable, Module } from '@nestjs/common';
import { ElasticJob, ElasticJobModule } from 'nestjs-elastic-job';
import { SlackErrorHandler } from 'nestjs-elastic-job/error-handlers';

@Injectable()
class ReportJobs {
  @ElasticJob({ name: 'city-report', cron: '0 0 2 * * ?', shardingTotalCount: 1, jobErrorHandlerType: 'SLACK' })
  report(): void {}
}

@Module({
  imports: [
    ElasticJobModule.forRoot({
      registry: { type: 'memory' }, // ZooKeeper in production
      errorHandlers: [new SlackErrorHandler({ webhook: process.env.SLACK_WEBHOOK ?? 'https://slack.example.org/key' })],
    }),
  ],
  providers: [ReportJobs],
})
export class AppModule {}
\`\`\`

Failures of one kind are held back for [\`errorWindowMs\`](module-options.md#errorwindowms) after a report, and then
told together. A failure that cannot be delivered goes to the log.`;

const JOB_TYPES = `# Props of job types

${GENERATED}

A job type reads its settings from the job's [\`props\`](options.md#props). A wrong prop refuses the start, and an edit
in the registry that is wrong leaves the last usable settings in force. [Job types](../job-types.md) shows each of them
at work.`;
