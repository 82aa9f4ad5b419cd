import { flag, JOB_SETTINGS, type OptionRow, wholeNumber } from '../../domain/index.js';
import { CloudForm } from './cloud-form.js';
import { positive, filledText } from './cloud-rules.js';

/** An application: the settings that several jobs share. @see ElasticJob-Cloud 3.0.2, `CloudAppConfigurationPOJO` */
export interface CloudAppConfiguration {
  readonly appName: string;
  /** Image of the tasks' containers; in ElasticJob-Cloud the address of an archive. */
  readonly appURL: string;
  /** The command that a shell starts as a task. */
  readonly bootstrapScript: string;
  /** Processors of ElasticJob-Cloud's executor, besides those of its tasks. */
  readonly cpuCount: number;
  /** Mebibytes of ElasticJob-Cloud's executor, besides those of its tasks. */
  readonly memoryMB: number;
  /** True: the image is fetched only if it is missing. */
  readonly appCacheEnable: boolean;
  /** One of so many runs of a daemon is traced; 0: all of them. */
  readonly eventTraceSamplingCount: number;
}

/** An application, as an operator registers it. Fields that are left out have ElasticJob-Cloud's defaults. */
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

/** Form of the nodes of applications. */
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
