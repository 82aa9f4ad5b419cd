import { applyDecorators, Controller, Header, HttpCode, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { ElasticJobExceptionFilter } from '../../elastic-job-exception.filter.js';
import { CloudRestGuard } from './cloud-rest.guard.js';

/** A controller of ElasticJob-Cloud's REST interface: guarded, with errors of this package as answers. */
export function CloudController(path: string): ClassDecorator {
  return applyDecorators(
    Controller({ path, version: VERSION_NEUTRAL }),
    UseGuards(CloudRestGuard),
    UseFilters(ElasticJobExceptionFilter),
  );
}

/** Answers with status 200 and JSON, also for a boolean, and also for POST. */
export function CloudAnswer(): MethodDecorator {
  return applyDecorators(HttpCode(200), Header('content-type', 'application/json; charset=utf-8'));
}
