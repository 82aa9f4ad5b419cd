import { applyDecorators, Controller, Header, HttpCode, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { ElasticJobExceptionFilter } from '../../elastic-job-exception.filter.js';
import { CloudRestGuard } from './cloud-rest.guard.js';

/** A controller of ElasticJob-Cloud's REST: guarded, and with errors of this package as answers. */
export function CloudController(path: string): ClassDecorator {
  return applyDecorators(
    Controller({ path, version: VERSION_NEUTRAL }),
    UseGuards(CloudRestGuard),
    UseFilters(ElasticJobExceptionFilter),
  );
}

/** The answer of a method is 200 and JSON, also if it is a boolean, and also for POST. */
export function CloudAnswer(): MethodDecorator {
  return applyDecorators(HttpCode(200), Header('content-type', 'application/json; charset=utf-8'));
}
