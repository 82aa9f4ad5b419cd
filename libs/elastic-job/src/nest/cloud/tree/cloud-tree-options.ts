/** Applications and jobs that operators register in the registry, as in ElasticJob-Cloud. */
export interface CloudTreeOptions {
  /**
   * Where they are registered: a namespace of the jobs' registry, under the same servers, credentials and ACL.
   * @default 'elasticjob-cloud'
   */
  readonly namespace?: string;
}

/** Namespace of ElasticJob-Cloud. @see ElasticJob-Cloud 3.0.2, `elasticjob-cloud-scheduler.properties` */
export const CLOUD_NAMESPACE = 'elasticjob-cloud';
