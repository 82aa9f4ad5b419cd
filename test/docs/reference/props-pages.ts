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
    section(source, 'WECHAT', 'WechatErrorHandler'),
    section(source, 'DINGTALK', 'DingtalkErrorHandler'),
    section(source, 'SLACK', 'SlackErrorHandler'),
    section(source, 'WEBHOOK', 'WebhookErrorHandler'),
    section(source, 'EMAIL', 'EmailErrorHandler'),
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

function section(source: Source, type: string, name: string): string {
  const symbol = source.public(name);
  const props = propsOf(source, name);
  if (props.length === 0) source.faults.push(`${name} lists no props in its docstring`);
  const text = source.docOf(symbol).text.replace(LIST, '').trim();
  const rows = props.map((prop) => [code(prop.name), defaultText(prop.default), prop.text]);
  const form = (symbol.flags & ts.SymbolFlags.Interface) === 0 ? 'Class' : 'Interface';
  const place = `- ${form}: ${code(name)} of ${code(source.entryOf(symbol) ?? '')}`;
  return [`## ${code(type)}`, text, place, table(['Prop', 'Default', 'Meaning'], rows)].join('\n\n');
}

function defaultText(value: string): string {
  return ['required', 'none'].includes(value) || value.includes(' ') ? value : code(value);
}

const ERROR_HANDLERS = `# Error handlers

${GENERATED}

A job names its error handler as [\`jobErrorHandlerType\`](options.md#joberrorhandlertype). \`LOG\`, \`IGNORE\`
and \`THROW\`
need no settings. The others below send a message; they are built in, but for \`EMAIL\`, which the module's
[\`errorHandlers\`](module-options.md#errorhandlers) must have. Their settings are among the job's
[\`props\`](options.md#props), or are given to the handler when the application makes it.`;

const JOB_TYPES = `# Props of job types

${GENERATED}

A job type reads its settings from the job's [\`props\`](options.md#props). A wrong prop refuses the start, and an edit
in the registry that is wrong leaves the last usable settings in force. [Job types](../job-types.md) shows each of them
at work.`;
