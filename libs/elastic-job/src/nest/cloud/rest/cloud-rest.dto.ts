import { Readable } from 'node:stream';
import { BadRequestException } from '@nestjs/common';
import {
  CLOUD_APP_ROWS,
  CLOUD_JOB_ROWS,
  type CloudAppOptions,
  type CloudJobConfiguration,
  type CloudJobOptions,
} from '../../../cloud/index.js';
import { Ruled } from '../../../domain/index.js';

/** The body of a request that registers or changes an application. Its rules are class-validator's. */
@Ruled(CLOUD_APP_ROWS)
export class CloudAppDto implements CloudAppOptions {
  declare readonly appName: string;
  declare readonly appURL: string;
  declare readonly bootstrapScript: string;
  declare readonly cpuCount?: number;
  declare readonly memoryMB?: number;
  declare readonly appCacheEnable?: boolean;
  declare readonly eventTraceSamplingCount?: number;
}

/** The body of a request that registers or changes a job. Its rules are class-validator's. */
@Ruled(CLOUD_JOB_ROWS)
export class CloudJobDto implements CloudJobOptions {
  declare readonly appName: string;
  declare readonly cpuCount: number;
  declare readonly memoryMB: number;
  declare readonly jobExecutionType: CloudJobConfiguration['jobExecutionType'];
  declare readonly jobName: string;
  declare readonly cron?: string;
  declare readonly shardingTotalCount: number;
  declare readonly shardingItemParameters?: string;
  declare readonly jobParameter?: string;
  declare readonly monitorExecution?: boolean;
  declare readonly failover?: boolean;
  declare readonly misfire?: boolean;
  declare readonly maxTimeDiffSeconds?: number;
  declare readonly reconcileIntervalMinutes?: number;
  declare readonly jobShardingStrategyType?: string;
  declare readonly jobExecutorServiceHandlerType?: string;
  declare readonly jobErrorHandlerType?: string;
  declare readonly description?: string;
  declare readonly props?: Readonly<Record<string, string>>;
  declare readonly disabled?: boolean;
  declare readonly overwrite?: boolean;
}

const LONGEST_BODY = 1_024;

/**
 * Reads the job that a request names: in Java the body is the name itself. Fastify parses a body of type `text/plain`;
 * Express does not, so it is read here.
 * @param body as the application's parsers have left it: a text, or `{ jobName }`
 * @throws {BadRequestException}
 */
export async function readJobName(body: unknown, request: unknown): Promise<string> {
  const name = nameIn(typeof body === 'string' ? body : (nameOf(body) ?? (await unparsed(request))));
  if (name !== '') return name;
  throw new BadRequestException('The body must name the job: {"jobName": "…"}, or the bare name as text/plain.');
}

function nameOf(body: unknown): string | undefined {
  const { jobName }: { jobName?: unknown } = Object(body);
  return typeof jobName === 'string' ? jobName : undefined;
}

/** Java accepts the name with JSON's quotes, and without. */
function nameIn(text: string): string {
  return text.trim().replace(/^"(.*)"$/s, '$1');
}

async function unparsed(request: unknown): Promise<string> {
  if (!(request instanceof Readable) || request.readableEnded) return '';
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > LONGEST_BODY) return '';
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString();
}
