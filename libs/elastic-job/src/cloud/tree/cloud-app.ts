import { flag, JOB_SETTINGS, type OptionRow, wholeNumber } from '../../domain/index.js';
import { CloudForm } from './cloud-form.js';
import { positive, filledText } from './cloud-rules.js';

/** An application: what several jobs have in common. @see ElasticJob-Cloud 3.0.2, `CloudAppConfigurationPOJO` */
export interface CloudAppConfiguration {
  readonly appName: string;
  /** The image of the tasks' containers; ElasticJob-Cloud has an archive there. */
  readonly appURL: string;
  /** The command that a shell starts as a task. */
  readonly bootstrapScript: string;
  /** Processors of ElasticJob-Cloud's executor, beside those of its tasks. */
  readonly cpuCount: number;
  /** Mebibytes of ElasticJob-Cloud's executor, beside those of its tasks. */
  readonly memoryMB: number;
  /** The image is fetched only where it is missing. */
  readonly appCacheEnable: boolean;
  /** Of so many runs of a daemon one is traced; 0: all of them. */
  readonly eventTraceSamplingCount: number;
}

/** An application as an operator registers it. Fields that are not given have ElasticJob-Cloud's defaults. */
export type CloudAppOptions = Pick<CloudAppConfiguration, 'appName' | 'appURL' | 'bootstrapScript'> &
  Partial<CloudAppConfiguration>;

/** Rule and default of each field. */
export const CLOUD_APP_ROWS = {
  appName: { rule: JOB_SETTINGS.name.rule, required: true },
  appURL: { rule: filledText('an image, such as "registry.example.org/jobs:1.0"'), required: true },
  bootstrapScript: { rule: filledText('a command, such as "bin/start.sh"'), required: true },
  cpuCount: { rule: positive(), default: 1 },
  memoryMB: { rule: positive(), default: 128 },
  appCacheEnable: { rule: flag(), default: true },
  eventTraceSamplingCount: { rule: wholeNumber({ from: 0 }), default: 0 },
} as const satisfies Readonly<Record<keyof CloudAppConfiguration, OptionRow>>;

/** The nodes of applications, and the options of which they are made. */
export const CLOUD_APP_FORM = new CloudForm<CloudAppConfiguration>({
  rows: CLOUD_APP_ROWS,
  of: 'an application',
  name: 'appName',
  read: (node) => ({
    appName: node.text('appName'),
    appURL: node.text('appURL'),
    bootstrapScript: node.text('bootstrapScript'),
    cpuCount: node.double('cpuCount'),
    memoryMB: node.double('memoryMB'),
    appCacheEnable: node.boolean('appCacheEnable'),
    eventTraceSamplingCount: node.integerOr('eventTraceSamplingCount', []),
  }),
  findFaults: () => [],
});
