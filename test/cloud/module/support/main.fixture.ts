// The main of the tasks of this folder.
import { runTask } from '../../../../libs/elastic-job/src/nest/cloud/index.js';
import { AppModule } from './app.module.js';

await runTask(AppModule.withBackend(), { logger: ['error', 'warn'] });
