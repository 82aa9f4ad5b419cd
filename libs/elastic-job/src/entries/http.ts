// `nestjs-elastic-job/http`: jobs that are a request.

export { type HttpFailure, HttpJobError, HttpJobType } from '../executor/index.js';
