// `nestjs-elastic-job/http`: jobs that send a request.

export { type HttpFailure, HttpJobError, HttpJobType } from '../executor/index.js';
