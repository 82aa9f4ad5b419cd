// Every change that the page can make, each as what its dialog says and sends.
export { cancelItem, confirmLost, disableItem, enableItem } from './item-changes.js';
export { disableJob, enableJob, removeJob, reshardJob, resignJob, shutdownJob, triggerJob } from './job-changes.js';
export {
  disableJobOnServer,
  disableServer,
  enableJobOnServer,
  enableServer,
  removeServer,
  shutdownServer,
} from './server-changes.js';
