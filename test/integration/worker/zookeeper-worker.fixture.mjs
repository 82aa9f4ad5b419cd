// All that a user writes to have the worker bundled.
// oxlint-disable-next-line import/no-unassigned-import -- it acts when it is loaded
import 'nestjs-elastic-job/zookeeper-worker';
