import {
  type AllowedRegistryTargets,
  guardProps,
  isObject,
  LOCAL_TARGET,
  ORIGIN_TARGET,
  type PropTargets,
} from '../../domain/index.js';
import { ConsoleProblem } from '../contract/index.js';

/** Props that decide what a process does, and where edits of this process may point them. */
export interface ConsoleTargets {
  /** Props of the application's own types, besides those of the package. */
  readonly targets: PropTargets;
  /** The option `allowRegistryTargets`. */
  readonly allowed: AllowedRegistryTargets;
}

const PART_OF_REQUEST = { partOf: 'http.uri' };
const WEB_CHANNELS = { wechat: 'webhook', dingtalk: 'webhook', slack: 'webhook', webhook: 'url' };

/** Those of the package's types, which other processes may have though this one has not. */
export const KNOWN_TARGETS: PropTargets = {
  'script.command.line': { among: 'commands', targetOf: executableOf },
  'http.uri': ORIGIN_TARGET,
  'http.method': PART_OF_REQUEST,
  'http.data': PART_OF_REQUEST,
  'http.content.type': PART_OF_REQUEST,
  'email.from': LOCAL_TARGET,
  'email.to': LOCAL_TARGET,
  'email.cc': LOCAL_TARGET,
  'email.bcc': LOCAL_TARGET,
  'email.subject': LOCAL_TARGET,
  ...Object.fromEntries(Object.entries(WEB_CHANNELS).map(([type, name]) => [`${type}.${name}`, ORIGIN_TARGET])),
  'dingtalk.keyword': LOCAL_TARGET,
  'dingtalk.secret': LOCAL_TARGET,
  'webhook.authorization': LOCAL_TARGET,
};

/**
 * A changed prop may only point where this process's own option allows. The lists of the job's instances decide in the
 * end.
 * @param before the props as they are
 * @param settings the changes
 * @throws {ConsoleProblem} 403 TARGET_NOT_ALLOWED
 */
export function assertTargetsAllowed(
  before: Readonly<Record<string, string>>,
  { props }: { readonly props?: unknown },
  { allowed, targets }: ConsoleTargets,
): void {
  if (!isObject(props)) return;
  const given = Object.entries(props).filter((prop): prop is [string, string] => typeof prop[1] === 'string');
  const { refused } = guardProps(before, Object.fromEntries(given), { ...KNOWN_TARGETS, ...targets }, allowed);
  if (refused.length === 0) return;
  throw new ConsoleProblem(
    403,
    'TARGET_NOT_ALLOWED',
    'These props decide what runs, and this process does not allow such a target.',
    {
      option: 'allowRegistryTargets',
      fields: refused.map((name) => ({ field: `props.${name}`, problem: 'is no allowed target' })),
    },
  );
}

/** As a command line is split, but for quotes: a name with quotes is none that could be allowed. */
function executableOf(line: string): string | undefined {
  const [first = ''] = line.trim().split(/\s/, 1);
  return first === '' || /["'\\]/.test(first) ? undefined : first;
}
