// Every change that the page can make, each as what its dialog says and sends.
export { confirmLost, enableItem } from './item-changes.js';
export { enableJob, reshardJob, triggerJob } from './job-changes.js';
export {
  disableJobOnServer,
  disableServer,
  enableJobOnServer,
  enableServer,
  removeServer,
  shutdownServer,
} from './server-changes.js';
