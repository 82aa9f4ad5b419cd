/**
 * The small application of the bare fixtures, with Nest and the library as they load them. Its handler fails if the
 * prop `fail` says so.
 */
module.exports = function applicationOf({ Injectable, Module, ElasticJob, ElasticJobModule }) {
  class Jobs {
    async settle({ props }) {
      if (props.fail) throw new RangeError(props.fail);
    }
  }
  const method = Object.getOwnPropertyDescriptor(Jobs.prototype, 'settle');
  ElasticJob({ name: 'settle', cron: '0 0 0 1 1 ?', shardingTotalCount: 3 })(Jobs.prototype, 'settle', method);
  Injectable()(Jobs);

  class AppModule {
    name = 'bare';
  }
  // A bare start does not even join its job.
  const registry = { type: 'memory' };
  Module({ imports: [ElasticJobModule.forRoot({ registry, processing: false })], providers: [Jobs] })(AppModule);
  return AppModule;
};
