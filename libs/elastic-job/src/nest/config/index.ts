export { elasticJobConfig } from './elastic-job.config.js';
