import { show } from '../../domain/index.js';
import type { CloudTaskOptions } from './cloud-job-plan.js';

/**
 * Programs that jobs of the registry may run in tasks. A job that asks for anything else does not run here.
 * @default nothing
 */
export interface TaskAllow {
  /**
   * An image as `appURL` names it; without tag and digest, all images of that name. Backends without images need none.
   * @default none
   */
  readonly images?: readonly string[];
  /** The whole text of a `bootstrapScript`. @default none */
  readonly commands?: readonly string[];
  /** The whole text of a `podTemplate`. @default none */
  readonly podTemplates?: readonly string[];
}

/** Finds the parts of a job that are not allowed. Each text names the entry for `allow`. */
export function findForbidden(
  { podTemplate, task: { command, image } }: CloudTaskOptions,
  { images = [], commands = [], podTemplates = [] }: TaskAllow = {},
): readonly string[] {
  const script = command.at(-1);
  return [
    ...(image === undefined || images.some((name) => isNamed(name, image))
      ? []
      : [refusal(`appURL ${show(image)}`, 'images')]),
    ...(script !== undefined && commands.includes(script)
      ? []
      : [refusal(`bootstrapScript ${show(script)}`, 'commands')]),
    ...(podTemplate === undefined || podTemplates.includes(podTemplate)
      ? []
      : [refusal('props.elastic-job.io/podTemplate', 'podTemplates')]),
  ];
}

function isNamed(allowed: string, image: string): boolean {
  return image === allowed || (image.startsWith(allowed) && /^[:@][^/]*$/.test(image.slice(allowed.length)));
}

function refusal(what: string, list: keyof TaskAllow): string {
  return `${what} is not allowed in this process; add it to allow.${list} of ElasticJobCloudModule`;
}
