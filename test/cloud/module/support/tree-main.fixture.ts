// The main of the tasks of jobs that are registered in the tree.
import { runTask } from '../../../../libs/elastic-job/src/nest/cloud/index.js';
import { TreeModule } from './tree.module.js';

await runTask(TreeModule.on(), { logger: ['error', 'warn'] });
