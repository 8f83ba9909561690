import type {
  BackupAnswer,
  DoctorAnswer,
  JobAnswer,
  JobDetailsAnswer,
  JobsAnswer,
  JobsQuery,
  LoginLinkAnswer,
  ReclaimAnswer,
  RunOnceAnswer,
  RunOnceBody,
} from '../../http/admin-contract.ts'

/** What operators can do, whichever way leads to the data. Refusals are DomainErrors either way. */
export interface Reach {
  loginLink(): Promise<LoginLinkAnswer>
  listJobs(query: JobsQuery): Promise<JobsAnswer>
  jobDetails(jobId: string): Promise<JobDetailsAnswer>
  cancelJob(jobId: string): Promise<JobAnswer>
  retryJob(jobId: string): Promise<JobAnswer>
  reclaim(): Promise<ReclaimAnswer>
  runOnce(request: RunOnceBody): Promise<RunOnceAnswer>
  doctor(): Promise<DoctorAnswer>
  backup(path: string): Promise<BackupAnswer>
}
