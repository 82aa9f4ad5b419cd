const ERROR_HANDLERS = ['LOG', 'IGNORE', 'THROW', 'EMAIL', 'WECHAT', 'DINGTALK'];
const THREAD_POOL_SIZES = ['CPU', 'SINGLE_THREAD'];

/** True if every Java instance has this error handler. @see ElasticJob, `JobErrorHandler` */
export function isJavaErrorHandlerType(type: string): boolean {
  return ERROR_HANDLERS.includes(type.toUpperCase());
}

/** True if every Java instance has this thread pool size. @see ElasticJob, `JobExecutorThreadPoolSizeProvider` */
export function isJavaThreadPoolSizeType(type: string): boolean {
  return THREAD_POOL_SIZES.includes(type.toUpperCase());
}

/** True if Java reads the zone as well; it accepts only names that begin like this. */
export function isJavaTimeZone(timeZone: string): boolean {
  return timeZone.startsWith('GMT');
}
